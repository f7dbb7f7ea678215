// SPDX-License-Identifier: Apache-2.0
// The C API over the classes: exceptions become codes and a message.
#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <system_error>

#include "../include/girih_card.h"
#include "card.hpp"
#include "generator.hpp"
#include "pcap.hpp"
#include "replay.hpp"
#include "tap.hpp"

struct girih_card {
  girih::Card card;
  girih::Frame collected;  // what girih_collect handed out last
  explicit girih_card(const girih_params &params) : card(params) {}
};

namespace {

thread_local std::string last_error;

int fail(int code, const std::string &message) {
  last_error = message;
  return code;
}

template <typename Body>
int guarded(Body body) {
  try {
    body();
    return GIRIH_OK;
  } catch (const girih::DesignError &error) {
    return fail(GIRIH_E_DESIGN, error.what());
  } catch (const girih::StallError &error) {
    return fail(GIRIH_E_STALL, error.what());
  } catch (const girih::FormatError &error) {
    return fail(GIRIH_E_FORMAT, error.what());
  } catch (const std::range_error &error) {
    return fail(GIRIH_E_TIMEOUT, error.what());
  } catch (const std::invalid_argument &error) {
    return fail(GIRIH_E_ARGUMENT, error.what());
  } catch (const std::exception &error) {
    return fail(GIRIH_E_SYSTEM, error.what());
  }
}

// Like guarded, for calls that need a working model.
template <typename Body>
int guarded(girih_card *card, Body body) {
  if (!card) return fail(GIRIH_E_ARGUMENT, "the card is NULL");
  if (!card->card.error.empty()) return fail(GIRIH_E_DESIGN, card->card.error);
  return guarded([&] { body(card->card); });
}

int access(girih_card *card, bool write, uint32_t address, uint32_t data, uint32_t *value) {
  uint32_t response = 0;
  const int status = guarded(card, [&](girih::Card &c) {
    const girih::Access done = c.access(write, address, data);
    response = done.error;
    if (value) *value = done.data;
  });
  if (status != GIRIH_OK || response == 0) return status;
  char text[96];
  std::snprintf(text, sizeof text, "the card answered the %s of register address 0x%08x with an error",
                write ? "write" : "read", address);
  return fail(GIRIH_E_BUS, text);
}

girih::Memory &memory(girih_card *card) { return card->card.memory(); }

girih::Faults &faults(girih::Card &card, uint32_t port, int direction) {
  if (direction != GIRIH_IN && direction != GIRIH_OUT) throw std::invalid_argument("a direction is in or out");
  return direction == GIRIH_IN ? card.port(port).in_faults : card.port(port).out_faults;
}

girih::Generator &generator(girih::Card &card) {
  if (!card.has_generator()) throw std::invalid_argument("the card has no flows; add one first");
  return card.generator();
}

}  // namespace

const char *girih_last_error(void) { return last_error.c_str(); }

void girih_params_init(girih_params *params) { *params = {512, 1, 0, 0, nullptr, nullptr, 0, 0, 0, 0, 0}; }

int girih_open(const girih_params *params, girih_card **card) {
  *card = nullptr;
  return guarded([&] { *card = new girih_card(*params); });
}

int girih_close(girih_card *card) {
  if (!card) return GIRIH_OK;
  const int status = guarded([&] { card->card.finish(); });
  delete card;
  return status;
}

uint64_t girih_cycle(const girih_card *card) { return card->card.cycle(); }

uint64_t girih_edge_cycles(const girih_card *card, int edge) {
  if (edge < GIRIH_PORTS || edge > GIRIH_CORES) return 0;
  return card->card.edge_cycles(static_cast<girih::EdgeName>(edge));
}

int girih_reset(girih_card *card) {
  return guarded(card, [](girih::Card &c) { c.reset(); });
}

int girih_run(girih_card *card, uint64_t cycles) {
  return guarded(card, [&](girih::Card &c) { c.run(cycles); });
}

int girih_run_slice(girih_card *card, uint64_t cycles, uint32_t microseconds) {
  return guarded(card, [&](girih::Card &c) { c.run_slice(cycles, microseconds); });
}

int girih_run_until_quiet(girih_card *card, uint64_t quiet, uint64_t limit) {
  return guarded(card, [&](girih::Card &c) {
    if (!c.run_until_quiet(quiet, limit)) {
      throw std::range_error("the card did not come to rest within " + std::to_string(limit) + " cycles");
    }
  });
}

uint64_t girih_quiet_cycles(const girih_card *card) { return card->card.quiet_cycles(); }

uint64_t girih_interrupts(const girih_card *card) { return card->card.interrupts(); }

int girih_watchdog(girih_card *card, uint64_t cycles) {
  return guarded(card, [&](girih::Card &c) { c.set_watchdog(cycles); });
}

uint64_t girih_stalled_cycles(const girih_card *card) {
  const girih::Watchdog &watchdog = card->card.watchdog();
  return watchdog.stalled(card->card.cycle()) ? watchdog.waiting_cycles(card->card.cycle()) : 0;
}

uint64_t girih_waiting_links(const girih_card *card, girih_waiting *links, uint64_t capacity) {
  const auto &waiting = card->card.watchdog().waiting();
  std::copy_n(waiting.begin(), std::min<uint64_t>(waiting.size(), capacity), links);
  return waiting.size();
}

int girih_port_waits(girih_card *card, uint32_t port) {
  int waits = 0;
  const int status = guarded([&] { waits = card->card.port(port).waits_for_wire(); });
  return status == GIRIH_OK ? waits : status;
}

int girih_read32(girih_card *card, uint32_t address, uint32_t *value) {
  return access(card, false, address, 0, value);
}

int girih_write32(girih_card *card, uint32_t address, uint32_t value) {
  return access(card, true, address, value, nullptr);
}

int girih_port_stats_get(girih_card *card, uint32_t port, girih_port_stats *stats) {
  return guarded([&] { *stats = card->card.port(port).stats(); });
}

int girih_ports_shut(girih_card *card) {
  return guarded(card, [](girih::Card &c) {
    for (uint32_t i = 0; i < c.ports(); i++) c.port(i).shut();
  });
}

int girih_detach(girih_card *card) {
  return guarded(card, [](girih::Card &c) { c.detach(); });
}

void girih_memory_params_init(girih_memory_params *params) { *params = {uint64_t{1} << 32, 100, 0, 64, 0, 0, 1, 1}; }

int girih_memory_set(girih_card *card, const girih_memory_params *params) {
  return guarded([&] { card->card.set_memory(*params); });
}

int girih_memory_fail(girih_card *card, uint64_t first, uint64_t size) {
  return guarded([&] { card->card.fail_memory(first, size); });
}

int girih_memory_read(girih_card *card, uint64_t address, uint8_t *data, uint64_t size) {
  return guarded([&] { memory(card).read(address, data, size); });
}

int girih_memory_write(girih_card *card, uint64_t address, const uint8_t *data, uint64_t size) {
  return guarded([&] { card->card.write_memory(address, data, size); });
}

int girih_memory_stats_get(girih_card *card, girih_memory_stats *stats) {
  return guarded([&] { *stats = memory(card).stats(); });
}

int girih_host_latency(girih_card *card, uint32_t cycles) {
  return guarded([&] { card->card.host().set_latency(cycles); });
}

int girih_host_map(girih_card *card, uint64_t address, uint64_t size, int fd, uint64_t offset) {
  return guarded([&] { card->card.host().memory().map(address, size, fd, offset); });
}

int girih_host_unmap(girih_card *card) {
  return guarded([&] { card->card.host().memory().unmap(); });
}

int girih_host_queue(girih_card *card, uint32_t queue, int kick, int call, uint32_t doorbell) {
  return guarded([&] { card->card.host().queue(queue, kick, call, doorbell); });
}

int girih_host_stats_get(girih_card *card, girih_host_stats *stats) {
  return guarded([&] { *stats = card->card.host().stats(); });
}

int girih_cable_gone(girih_card *card, uint32_t port) {
  int gone = 0;
  const int status = guarded([&] { gone = card->card.port(port).cable_gone(); });
  return status == GIRIH_OK ? gone : status;
}

int girih_inject(girih_card *card, uint32_t port, const uint8_t *data, uint32_t size, uint64_t cycle, int bad) {
  return guarded(card, [&](girih::Card &c) {
    girih::Frame frame;
    frame.bytes.assign(data, data + size);
    frame.bad = bad != 0;
    c.port(port).inject(std::move(frame), cycle);
  });
}

int girih_collect_enable(girih_card *card, uint32_t port, int enable) {
  return guarded([&] { card->card.port(port).collect(enable != 0); });
}

int girih_collect(girih_card *card, uint32_t port, girih_frame *frame) {
  bool found = false;
  const int status = guarded([&] { found = card->card.port(port).collected(card->collected); });
  if (status != GIRIH_OK || !found) return status;
  const girih::Frame &f = card->collected;
  *frame = {f.bytes.data(), static_cast<uint32_t>(f.bytes.size()), f.bad, f.first_cycle, f.last_cycle};
  return 1;
}

int girih_ready_set(girih_card *card, uint32_t port, double probability, uint64_t seed) {
  return guarded(card, [&](girih::Card &c) { c.set_ready(port, probability, seed); });
}

int girih_tap_open(girih_card *card, uint32_t port, const char *netns, const char *name, int *fd) {
  return guarded(card, [&](girih::Card &c) {
    auto tap = std::make_shared<girih::Tap>(c.port(port), netns ? netns : "", name);
    *fd = tap->fd();
    c.port(port).add(std::static_pointer_cast<girih::Source>(tap));
    c.port(port).add(std::static_pointer_cast<girih::Sink>(tap));
  });
}

int girih_pcap_in(girih_card *card, uint32_t port, const char *path, int keep_times) {
  return guarded(card, [&](girih::Card &c) {
    std::shared_ptr<girih::Source> source = std::make_shared<girih::PcapSource>(path, keep_times != 0, c.cycle());
    c.port(port).add(std::move(source));
  });
}

int girih_pcap_out(girih_card *card, uint32_t port, const char *path) {
  return guarded(card, [&](girih::Card &c) {
    std::shared_ptr<girih::Sink> sink = std::make_shared<girih::PcapSink>(path, "port" + std::to_string(port) + ".tx");
    c.port(port).add(std::move(sink));
  });
}

void girih_fault_params_init(girih_fault_params *params) {
  *params = {};
  params->reorder_cycles = 1000;
  params->delay_cycles = 1000;
  params->seed = 1;
}

int girih_faults_set(girih_card *card, uint32_t port, int direction, const girih_fault_params *params) {
  return guarded(card, [&](girih::Card &c) { faults(c, port, direction).set(*params); });
}

int girih_faults_get(girih_card *card, uint32_t port, int direction, girih_fault_counts *counts) {
  return guarded([&] { *counts = faults(card->card, port, direction).counts(); });
}

void girih_flow_params_init(girih_flow_params *params) {
  *params = {};
  params->vlan = girih::Untagged;
  params->count = 1;
  params->seed = 1;
}

int girih_flow_add(girih_card *card, const girih_flow_params *params) {
  int index = 0;
  const int status =
      guarded(card, [&](girih::Card &c) { index = static_cast<int>(c.generator().add(*params)); });
  return status == GIRIH_OK ? index : status;
}

int girih_flows_run(girih_card *card, uint64_t quiet, uint64_t limit) {
  return guarded(card, [&](girih::Card &c) {
    girih::Generator &flows = generator(c);
    const uint64_t end = c.cycle() + limit;
    c.watchdog().look_again(c.cycle());
    while (!flows.finished() || c.quiet_cycles() < quiet || c.watchdog().occupied()) {
      c.check_stall();
      if (c.cycle() >= end) {
        throw std::range_error("the flows did not end within " + std::to_string(limit) + " cycles");
      }
      c.run(16);
      if (!flows.finished() && c.quiet_cycles() >= quiet) flows.release();
    }
  });
}

int girih_flow_result_get(girih_card *card, uint32_t flow, girih_flow_result *result) {
  return guarded([&] { *result = generator(card->card).flow(flow).result(); });
}

int64_t girih_flow_latencies(girih_card *card, uint32_t flow, uint32_t *first, uint32_t *last, uint64_t capacity) {
  uint64_t count = 0;
  const int status =
      guarded([&] { count = generator(card->card).flow(flow).latencies(first, last, capacity); });
  return status == GIRIH_OK ? static_cast<int64_t>(count) : status;
}

int64_t girih_flow_arrivals(girih_card *card, uint32_t flow, uint64_t *cycles, uint64_t capacity) {
  uint64_t count = 0;
  const int status = guarded([&] { count = generator(card->card).flow(flow).arrivals(cycles, capacity); });
  return status == GIRIH_OK ? static_cast<int64_t>(count) : status;
}

uint64_t girih_flows_unexpected(girih_card *card) {
  return card->card.has_generator() ? card->card.generator().unexpected() : 0;
}

int girih_flows_clear(girih_card *card) {
  return guarded([&] { card->card.clear_generator(); });
}

int girih_capture_start(girih_card *card, const girih_capture_params *params) {
  return guarded(card, [&](girih::Card &c) { c.start_capture(*params); });
}

int girih_capture_stop(girih_card *card, uint64_t *messages) {
  return guarded([&] {
    const uint64_t count = card->card.stop_capture();
    if (messages) *messages = count;
  });
}

int girih_waves(girih_card *card, const char *path, uint64_t from, uint64_t to) {
  return guarded(card, [&](girih::Card &c) { c.start_waves(path, from, to); });
}

int girih_replay(girih_card *card, const char *path, girih_goes_on goes_on, girih_replay_result *result) {
  return guarded(card, [&](girih::Card &c) { *result = girih::replay(c, path, goes_on); });
}
