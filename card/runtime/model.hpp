// SPDX-License-Identifier: Apache-2.0
// The one seam between the runtime and a Verilated design: pins as bytes, so that the runtime
// compiles once for every width. Verilator keeps ports in little-endian words of their size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace girih {

struct AxisPins {  // all ports side by side, port 0 first
  uint8_t *tdata, *tkeep, *tvalid, *tready, *tlast, *tuser;
};

struct AxilPins {
  uint8_t *awvalid, *awready, *wvalid, *wready, *wstrb, *bvalid, *bready, *bresp;
  uint8_t *arvalid, *arready, *rvalid, *rready, *rresp;
  uint32_t *awaddr, *wdata, *araddr, *rdata;
};

struct AxiPins {  // awvalid is null: a card without external memory
  uint8_t *awid, *awlen, *awvalid, *awready, *wdata, *wstrb, *wlast, *wvalid, *wready, *bid, *bresp, *bvalid, *bready;
  uint8_t *arid, *arlen, *arvalid, *arready, *rid, *rdata, *rresp, *rlast, *rvalid, *rready;
  uint64_t *awaddr, *araddr;
};

struct HostPins {  // axi.awvalid is null: a card without a port to the host
  AxiPins axi;
  uint16_t *interrupt;  // a bit for each virtqueue
};

enum class EdgeName : uint8_t { Ports, Memory, Host, Cores };  // in the order of girih_params
constexpr unsigned EdgeCount = 4;

struct EdgePins {  // clk[0] is null: the edge uses the card's clock
  uint8_t *clk[2];  // the Ethernet ports have two
  const uint8_t *rst[2];  // null: nothing is beyond the edge
  size_t bytes;   // of each
  uint32_t ones;  // all bits of a clock
  const uint8_t *hold;
};

struct Pins {
  uint8_t *clk, *rst, *probe_enable;
  uint8_t *watch;  // null: a card made by hand that cannot be watched
  AxisPins rx, tx;  // into the card, out of the card
  AxilPins axil;
  AxiPins axi;
  uint8_t *interrupt;  // one bit per tile with interrupts, in as many bytes as needed; null: no tile has interrupts
  size_t interrupt_bytes;
  HostPins host;
  EdgePins edges[EdgeCount];
};

class Model {
 public:
  virtual ~Model() = default;
  virtual void eval() = 0;
  virtual void check(bool on) = 0;  // the checks in the SystemVerilog, which are on at the start
  virtual bool has_waves() const = 0;  // the design was built with --trace-fst
  virtual void open_waves(const char *path) = 0;  // this and the next two throw if the file cannot be written
  virtual void dump_waves(uint64_t time) = 0;
  virtual void close_waves() = 0;

  Pins pins{};
};

// seed: for the contents of registers and memories before reset; 0: zeros.
std::unique_ptr<Model> make_model(uint32_t seed, unsigned ports);

// A check in the SystemVerilog failed ($fatal, $error, a failed assert).
class DesignError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace girih
