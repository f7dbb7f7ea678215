// SPDX-License-Identifier: Apache-2.0
// The card: a model, its ports, its register master, and the loop that clocks them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "axil.hpp"
#include "edges.hpp"
#include "host.hpp"
#include "memory.hpp"
#include "model.hpp"
#include "port.hpp"
#include "watchdog.hpp"

namespace girih {

class Capture;
class Generator;
class Recorder;

class Card {
 public:
  static constexpr uint64_t NanosecondsPerCycle = 4;
  static constexpr uint64_t AccessLimit = 100'000;  // most cycles of a register access

  explicit Card(const girih_params &params);
  ~Card();

  void reset();
  void tick();
  void run(uint64_t cycles);
  void run_slice(uint64_t cycles, uint32_t microseconds);
  bool run_until_quiet(uint64_t quiet, uint64_t limit);

  uint64_t cycle() const { return cycle_; }
  uint64_t quiet_cycles() const;
  uint64_t interrupts() const;
  uint64_t edge_cycles(EdgeName name) const;  // of an edge's own clock; 0: it has none

  Access access(bool write, uint32_t address, uint32_t data);
  void set_watchdog(uint64_t cycles);
  Watchdog &watchdog() { return watchdog_; }
  const Watchdog &watchdog() const { return watchdog_; }
  void check_stall() const;  // throws StallError if the card has stalled
  void set_ready(uint32_t port, double probability, uint64_t seed);

  void start_waves(const std::string &path, uint64_t from, uint64_t to);
  void start_capture(const girih_capture_params &params);
  uint64_t stop_capture();
  Generator &generator();
  void clear_generator();
  bool has_generator() const { return generator_ != nullptr; }
  void stop_recording();
  void finish();  // ends all that writes files, whatever fails; throws the first failure
  void detach();  // in the copy that fork makes: from here on, nothing that it does has an effect outside

  Port &port(uint32_t index);
  Memory &memory();  // throws if there is none; the methods that follow change the memory and record the change
  void write_memory(uint64_t address, const uint8_t *data, uint64_t size);
  void set_memory(const girih_memory_params &params);
  void fail_memory(uint64_t first, uint64_t size);
  Host &host();  // throws if there is none
  uint32_t ports() const { return static_cast<uint32_t>(ports_.size()); }
  AxiLite &axil() { return axil_; }
  void probe(uint32_t link, bool first, bool bad, bool last, uint32_t valid, const uint32_t *data,
             const uint32_t *desc);

  std::string error;  // of a failed design; the card can then only be closed

 private:
  void eval();
  template <bool Others>
  void tick_with();
  void edges();                  // those of other clocks before the card's next edge
  void edge(EdgeClock &clock);
  void begin_waves();
  void dump_waves(double cycles);  // the time in cycles of the card
  void end_waves();
  bool holds(EdgeName name) const;  // something is in the crossing of an edge
  void ring_doorbell();
  uint64_t sent_beats() const;

  const girih_params params_;
  std::unique_ptr<Model> model_;
  AxiLite axil_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::unique_ptr<Memory> memory_;  // behind the AXI4 port, if the card has one
  std::unique_ptr<Host> host_;  // behind the port to the host, if the card has one
  Edges edges_;
  const bool ports_own_, memory_own_, host_own_;  // they have clocks of their own
  bool resetting_ = false;
  uint64_t cycle_ = 0;
  mutable uint64_t last_moved_ = 0;
  Watchdog watchdog_;

  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Capture> capture_;
  std::shared_ptr<Generator> generator_;

  std::string waves_path_;
  uint64_t waves_from_ = 0, waves_to_ = 0;
  bool waves_open_ = false;
  uint64_t waves_time_ = 0;  // of the last values in the file
};

}  // namespace girih
