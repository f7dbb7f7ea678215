// SPDX-License-Identifier: Apache-2.0
#include "card.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <system_error>

#include "capture.hpp"
#include "generator.hpp"
#include "recorder.hpp"

namespace girih {
namespace {
constexpr unsigned ResetCycles = 16;
constexpr unsigned ResetEdges = 16;  // of each other clock: after power-up, both sides of a crossing agree (rtl/cdc)
constexpr unsigned OpenAfter = 32;  // cycles and edges after a reset, by which the crossings have opened
thread_local Card *current = nullptr;  // the card whose model is being evaluated, for the probes
}  // namespace

Card::Card(const girih_params &params)
    : params_(params),
      model_(make_model(params.seed, params.ports)),
      axil_(model_->pins),
      edges_(*model_, params.card_hz, {params.ports_hz, params.memory_hz, params.host_hz, params.cores_hz}, params.seed),
      ports_own_(edges_.find(EdgeName::Ports)),
      memory_own_(edges_.find(EdgeName::Memory)),
      host_own_(edges_.find(EdgeName::Host)) {
  if (params.data_width < 64 || params.data_width % 64 != 0) {
    throw std::invalid_argument("data_width must be a multiple of 64");
  }
  if (params.seed > INT32_MAX) throw std::invalid_argument("a seed is at most 2147483647");
  if (params.ports < 1) throw std::invalid_argument("a card needs at least one port");
  for (uint32_t i = 0; i < params.ports; i++) {
    ports_.push_back(std::make_unique<Port>(model_->pins, i, params.data_width / 8));
  }
  if (model_->pins.axi.awvalid) memory_ = std::make_unique<Memory>(model_->pins.axi, params.data_width / 8);
  if (model_->pins.host.axi.awvalid) host_ = std::make_unique<Host>(model_->pins.host, params.data_width / 8);
  if (params.record_path) {
    recorder_ = std::make_unique<Recorder>(params.record_path, params.record_label ? params.record_label : "");
    for (auto &port : ports_) port->observe(recorder_.get());
  }
  reset();
}

Card::~Card() {
  try {
    stop_recording();
    stop_capture();
  } catch (const std::exception &) {  // a full disk must not end the process; finish() reports it
  }
}

void Card::finish() {
  std::exception_ptr failure;
  const auto end = [&](const auto &body) {
    try {
      body();
    } catch (const std::exception &) {
      if (!failure) failure = std::current_exception();
    }
  };
  end([&] { stop_recording(); });
  end([&] { stop_capture(); });
  end([&] { end_waves(); });
  for (auto &port : ports_) end([&] { port->finish(); });
  if (failure) std::rethrow_exception(failure);
}

Port &Card::port(uint32_t index) {
  if (index >= ports_.size()) {
    throw std::invalid_argument("the card has no port " + std::to_string(index));
  }
  return *ports_[index];
}

Memory &Card::memory() {
  if (!memory_) throw std::invalid_argument("the card has no external memory");
  return *memory_;
}

void Card::write_memory(uint64_t address, const uint8_t *data, uint64_t size) {
  memory().write(address, data, size);
  if (recorder_) recorder_->memory_write(cycle_, address, data, size);
}

void Card::set_memory(const girih_memory_params &params) {
  memory().set(params);
  if (recorder_) recorder_->memory_settings(cycle_, params);
}

void Card::fail_memory(uint64_t first, uint64_t size) {
  memory().fail(first, size);
  if (recorder_) recorder_->memory_fail(cycle_, first, size);
}

Host &Card::host() {
  if (!host_) throw std::invalid_argument("the card has no port to a host");
  return *host_;
}

// Rings the host's doorbells between other accesses.
void Card::ring_doorbell() {
  host_->poll(cycle_);
  uint32_t address;
  if (axil_.busy() || !host_->take_doorbell(address)) return;
  Access access;
  access.write = true;
  access.address = address;
  access.data = 1;
  access.start_cycle = cycle_;
  axil_.start(access);
}

void Card::eval() {
  current = this;
  try {
    model_->eval();
  } catch (const DesignError &failure) {
    error = std::string(failure.what()) + " (cycle " + std::to_string(cycle_) + ", seed " + std::to_string(params_.seed) + ")";
    throw DesignError(error);
  }
}

// One edge of a clock at the card's edge. What is beyond is reset by its reset pin. Beyond the clock of the cores there is nothing.
void Card::edge(EdgeClock &clock) {
  const bool reset = resetting_ || clock.in_reset();
  if (reset) {
    clock.reset_edge = clock.edges;
    clock.reset_cycle = cycle_;
  }
  if (clock.name == EdgeName::Ports) {
    const bool open = clock.edges - clock.reset_edge >= OpenAfter && cycle_ - clock.reset_cycle >= OpenAfter;
    for (auto &port : ports_) reset ? port->abandon() : port->drive(cycle_, open, clock.number);
  } else if (clock.name == EdgeName::Memory) {
    reset ? memory_->abandon() : memory_->drive(clock.edges);
  } else if (clock.name == EdgeName::Host) {
    reset ? host_->abandon() : host_->drive(clock.edges);
  }
  eval();
  if (!reset) {
    if (clock.name == EdgeName::Ports) {
      for (auto &port : ports_) port->sample(cycle_);
    } else if (clock.name == EdgeName::Memory) {
      memory_->sample(clock.edges);
    } else if (clock.name == EdgeName::Host) {
      host_->sample(clock.edges);
    }
  }
  clock.level(true);
  eval();
  clock.edges++;
  clock.number++;
}

void Card::edges() {
  double when;
  while (EdgeClock *clock = edges_.next(when)) {
    edge(*clock);
    if (waves_open_) dump_waves(static_cast<double>(cycle_) - 0.5 + when);  // the card's last edge was in the middle of the cycle before
    clock->level(false);  // the next evaluation sees it
  }
}

// Times in a file increase, even if two clocks have an edge at the same time.
void Card::dump_waves(double cycles) {
  const double unit = static_cast<double>(NanosecondsPerCycle) * (edges_.empty() ? 1 : 1000);
  waves_time_ = std::max(waves_time_ + 1, static_cast<uint64_t>(std::llround(cycles * unit)));
  try {
    model_->dump_waves(waves_time_);
  } catch (const std::system_error &) {
    waves_open_ = false;
    waves_path_.clear();
    throw;
  }
}

void Card::tick() { edges_.empty() ? tick_with<false>() : tick_with<true>(); }

// Others: there are other clocks; the loop of a card without them does not ask at every edge.
template <bool Others>
void Card::tick_with() {
  const Pins &pins = model_->pins;
  const bool ports = !Others || !ports_own_, memory = memory_ && (!Others || !memory_own_), host = host_ && (!Others || !host_own_);
  if constexpr (Others) edges();
  if (ports) {
    for (auto &port : ports_) port->drive(cycle_);
  }
  if (memory) memory_->drive(cycle_);
  if (host_) ring_doorbell();
  if (host) host_->drive(cycle_);
  const bool looks = watchdog_.looks(cycle_);
  if (looks) {
    *pins.watch = 1;
    watchdog_.begin();
  }
  *pins.clk = 0;
  eval();
  if (waves_open_) dump_waves(static_cast<double>(cycle_));
  if (ports) {
    for (auto &port : ports_) port->sample(cycle_);
  }
  if (memory) memory_->sample(cycle_);
  if (host) host_->sample(cycle_);
  const bool access = axil_.busy();
  if (access) axil_.sample(cycle_);
  *pins.clk = 1;
  eval();
  if (looks) {
    *pins.watch = 0;
    watchdog_.end(cycle_, sent_beats(), (memory_ && memory_->owes()) || holds(EdgeName::Memory) || holds(EdgeName::Host));
  }
  if (access) axil_.drive();
  if (waves_open_) dump_waves(static_cast<double>(cycle_) + 0.5);
  cycle_++;
  if (!waves_path_.empty()) {
    if (cycle_ >= waves_to_) {
      end_waves();
    } else if (!waves_open_ && cycle_ >= waves_from_) {
      begin_waves();
    }
  }
}

void Card::reset() {
  if (recorder_) recorder_->reset(cycle_);
  *model_->pins.rst = 1;
  axil_.abandon();
  watchdog_.forget();
  if (memory_) memory_->abandon();
  if (host_) host_->abandon();
  resetting_ = true;
  std::vector<uint64_t> before;
  for (const EdgeClock &clock : edges_.all()) before.push_back(clock.edges);
  const auto long_enough = [&] {  // for every clock
    for (size_t i = 0; i < before.size(); i++) {
      if (edges_.all()[i].edges - before[i] < ResetEdges) return false;
    }
    return true;
  };
  // At the start, a reset takes some edges to reach the other clocks. Until then their registers hold anything.
  if (cycle_ == 0 && !edges_.empty()) model_->check(false);
  for (unsigned i = 0; i < ResetCycles || !long_enough(); i++) {
    const Pins &pins = model_->pins;
    if (!edges_.empty()) edges();
    for (auto &port : ports_) port->abandon();
    *pins.clk = 0;
    eval();
    *pins.clk = 1;
    eval();
    cycle_++;
  }
  if (!edges_.empty()) model_->check(true);
  *model_->pins.rst = 0;
  resetting_ = false;
}

void Card::run(uint64_t cycles) {
  for (uint64_t i = 0; i < cycles; i++) tick();
}

void Card::run_slice(uint64_t cycles, uint32_t microseconds) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::microseconds(microseconds);
  constexpr uint64_t Chunk = 64;
  while (cycles > 0) {
    const uint64_t chunk = std::min(cycles, Chunk);
    run(chunk);
    cycles -= chunk;
    if (Clock::now() >= deadline) break;
  }
}

bool Card::run_until_quiet(uint64_t quiet, uint64_t limit) {
  const uint64_t end = cycle_ + limit;
  watchdog_.look_again(cycle_);
  while (quiet_cycles() < quiet || watchdog_.occupied()) {
    check_stall();
    if (cycle_ >= end) return false;
    tick();
  }
  return true;
}

uint64_t Card::quiet_cycles() const {
  bool busy = (memory_ && memory_->busy()) || (host_ && host_->busy());
  for (const EdgeClock &clock : edges_.all()) busy |= clock.holds();
  if (busy) last_moved_ = cycle_;
  for (const auto &port : ports_) {
    if (!port->quiet()) return 0;
    last_moved_ = std::max(last_moved_, port->last_moved());
  }
  return cycle_ - std::min(cycle_, last_moved_);
}

bool Card::holds(EdgeName name) const {
  const EdgeClock *clock = edges_.find(name);
  return clock && clock->holds();
}

uint64_t Card::edge_cycles(EdgeName name) const {
  const EdgeClock *clock = edges_.find(name);
  return clock ? clock->edges : 0;
}

uint64_t Card::interrupts() const {
  uint64_t lines = 0;
  if (model_->pins.interrupt) std::memcpy(&lines, model_->pins.interrupt, model_->pins.interrupt_bytes);
  return lines;
}

void Card::set_watchdog(uint64_t cycles) {
  if (cycles && !model_->pins.watch) throw std::invalid_argument("this card cannot be watched; it has no pin watch_i");
  watchdog_.set(cycles);
  watchdog_.forget();
}

void Card::check_stall() const {
  if (!watchdog_.stalled(cycle_)) return;
  throw StallError("nothing has moved for " + std::to_string(watchdog_.waiting_cycles(cycle_)) + " cycles, and " +
                   std::to_string(watchdog_.waiting().size()) + " links hold messages");
}

uint64_t Card::sent_beats() const {
  uint64_t beats = 0;
  for (const auto &port : ports_) beats += port->stats().tx_beats;
  return beats;
}

Access Card::access(bool write, uint32_t address, uint32_t data) {
  while (axil_.busy()) tick();  // a doorbell
  Access access;
  access.write = write;
  access.address = address;
  access.data = data;
  access.start_cycle = cycle_;
  axil_.start(access);
  while (axil_.busy()) {
    if (cycle_ - access.start_cycle >= AccessLimit) {
      axil_.abandon();
      throw std::range_error("the card did not answer a register access within " + std::to_string(AccessLimit) +
                             " cycles");
    }
    tick();
  }
  if (recorder_) recorder_->access(axil_.access());
  return axil_.access();
}

void Card::set_ready(uint32_t index, double probability, uint64_t seed) {
  port(index).set_ready(probability, seed);
  if (recorder_) recorder_->ready(cycle_, index, probability, seed);
}

void Card::start_waves(const std::string &path, uint64_t from, uint64_t to) {
  if (!model_->has_waves()) throw std::invalid_argument("this library was built without waves");
  if (from >= to) throw std::invalid_argument("the window of the waves is empty");
  if (cycle_ > from) throw std::invalid_argument("the window of the waves has already passed");
  std::FILE *file = std::fopen(path.c_str(), "wb");  // to learn now whether it can be written
  if (!file) throw std::system_error(errno, std::generic_category(), "cannot write the waves " + path);
  std::fclose(file);
  waves_path_ = path;
  waves_from_ = from;
  waves_to_ = to;
  if (cycle_ >= from) begin_waves();
}

void Card::begin_waves() {
  model_->open_waves(waves_path_.c_str());
  waves_open_ = true;
}

void Card::end_waves() {
  waves_open_ = false;
  waves_path_.clear();
  model_->close_waves();
}

void Card::start_capture(const girih_capture_params &params) {
  if (capture_) throw std::invalid_argument("a capture is already running");
  capture_ = std::make_unique<Capture>(params, params_.links, params_.ports, params_.data_width);
  for (const uint32_t link : capture_->links()) {
    if (link < params_.links) set_bit(model_->pins.probe_enable, link, true);
  }
  for (auto &port : ports_) port->observe(capture_.get());
}

uint64_t Card::stop_capture() {
  if (!capture_) return 0;
  for (uint32_t link = 0; link < params_.links; link++) set_bit(model_->pins.probe_enable, link, false);
  for (auto &port : ports_) port->unobserve(capture_.get());
  const auto capture = std::move(capture_);
  return capture->finish();
}

void Card::probe(uint32_t link, bool first, bool bad, bool last, uint32_t valid, const uint32_t *data,
                 const uint32_t *desc) {
  if (capture_) capture_->flit(link, cycle_, first, bad, last, valid, data, desc);
}

Generator &Card::generator() {
  if (!generator_) generator_ = std::make_shared<Generator>(*this);
  return *generator_;
}

void Card::clear_generator() {
  if (generator_) generator_->detach();
  generator_.reset();
}

// Detached observers are never destroyed: their destructors would write to the files of the original card.
void Card::detach() {
  for (auto &port : ports_) port->detach();
  static_cast<void>(recorder_.release());
  static_cast<void>(capture_.release());
  if (host_) host_->detach();
}

void Card::stop_recording() {
  if (!recorder_) return;
  for (auto &port : ports_) port->unobserve(recorder_.get());
  const auto recorder = std::move(recorder_);
  recorder->finish(cycle_);
}

}  // namespace girih

// Called by card_sim.sv for each link that holds a flit, when the watchdog samples.
extern "C" void girih_watch(uint32_t link, uint8_t moves, uint8_t src, uint8_t dst) {
  girih::current->watchdog().link(link, moves != 0, src, dst);
}

// Called by link_probe.sv.
extern "C" void girih_probe(uint32_t link, uint8_t first, uint8_t bad, uint8_t last, uint32_t valid,
                            const uint32_t *data, const uint32_t *desc) {
  girih::current->probe(link, first, bad, last, valid, data, desc);
}
