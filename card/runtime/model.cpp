// SPDX-License-Identifier: Apache-2.0
// Adapter of one Verilated design; the only file that is compiled for each design.
#include "model.hpp"

#include <cstring>

#include "Vcard_sim.h"
#include "verilated.h"
#if VM_COVERAGE
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "verilated_cov.h"
#endif
#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif

namespace girih {
namespace {

template <typename Port>
uint8_t *bytes(Port &port) {
  return reinterpret_cast<uint8_t *>(&port);
}

template <typename... Ports>
void clear(Ports &...ports) {
  (std::memset(&ports, 0, sizeof ports), ...);
}

// What registers and memories hold before reset: random bits of this seed, or 0 everywhere for seed 0.
VerilatedContext *started(VerilatedContext &context, uint32_t seed) {
  context.randReset(seed ? 2 : 0);
  context.randSeed(static_cast<int>(seed));
  return &context;
}

template <typename Top>
void clear_protection(Top &top) {  // a card made by hand may lack these
  if constexpr (requires { top.s_axil_awprot; }) clear(top.s_axil_awprot, top.s_axil_arprot);
}

template <typename Top>
uint8_t *watch_pin(Top &top) {
  if constexpr (requires { top.watch_i; }) {
    return bytes(top.watch_i);
  } else {
    return nullptr;
  }
}

template <typename Top>
void find_interrupts(Top &top, Pins &pins) {
  if constexpr (requires { top.interrupt_o; }) {
    static_assert(sizeof top.interrupt_o <= sizeof(uint64_t));
    pins.interrupt = bytes(top.interrupt_o);
    pins.interrupt_bytes = sizeof top.interrupt_o;
  }
}

template <typename Top>
AxiPins memory_pins(Top &m) {
  if constexpr (requires { m.m_axi_awvalid; }) {
    clear(m.m_axi_awready, m.m_axi_wready, m.m_axi_bid, m.m_axi_bresp, m.m_axi_bvalid, m.m_axi_arready, m.m_axi_rid, m.m_axi_rdata,
          m.m_axi_rresp, m.m_axi_rlast, m.m_axi_rvalid);
    return {bytes(m.m_axi_awid),   bytes(m.m_axi_awlen),  bytes(m.m_axi_awvalid), bytes(m.m_axi_awready), bytes(m.m_axi_wdata),
            bytes(m.m_axi_wstrb),  bytes(m.m_axi_wlast),  bytes(m.m_axi_wvalid),  bytes(m.m_axi_wready),  bytes(m.m_axi_bid),
            bytes(m.m_axi_bresp),  bytes(m.m_axi_bvalid), bytes(m.m_axi_bready),  bytes(m.m_axi_arid),    bytes(m.m_axi_arlen),
            bytes(m.m_axi_arvalid), bytes(m.m_axi_arready), bytes(m.m_axi_rid),   bytes(m.m_axi_rdata),   bytes(m.m_axi_rresp),
            bytes(m.m_axi_rlast),  bytes(m.m_axi_rvalid), bytes(m.m_axi_rready),  &m.m_axi_awaddr,        &m.m_axi_araddr};
  } else {
    return {};
  }
}

class VerilatedDesign final : public Model {
 public:
  explicit VerilatedDesign(uint32_t seed) : model_{started(context_, seed)} {
#if VM_TRACE_FST
    context_.traceEverOn(true);
#endif
    auto &m = model_;
    clear(m.clk_i, m.rst_i, m.probe_enable_i, m.s_axis_tdata, m.s_axis_tkeep, m.s_axis_tvalid, m.s_axis_tlast,
          m.s_axis_tuser, m.m_axis_tready, m.s_axil_awvalid, m.s_axil_awaddr, m.s_axil_wvalid,
          m.s_axil_wdata, m.s_axil_wstrb, m.s_axil_bready, m.s_axil_arvalid, m.s_axil_araddr, m.s_axil_rready);
    clear_protection(m);
    pins.clk = bytes(m.clk_i);
    pins.rst = bytes(m.rst_i);
    pins.probe_enable = bytes(m.probe_enable_i);
    pins.watch = watch_pin(m);
    if (pins.watch) *pins.watch = 0;
    pins.rx = {bytes(m.s_axis_tdata),  bytes(m.s_axis_tkeep), bytes(m.s_axis_tvalid),
               bytes(m.s_axis_tready), bytes(m.s_axis_tlast), bytes(m.s_axis_tuser)};
    pins.tx = {bytes(m.m_axis_tdata),  bytes(m.m_axis_tkeep), bytes(m.m_axis_tvalid),
               bytes(m.m_axis_tready), bytes(m.m_axis_tlast), bytes(m.m_axis_tuser)};
    pins.axil = {bytes(m.s_axil_awvalid), bytes(m.s_axil_awready), bytes(m.s_axil_wvalid), bytes(m.s_axil_wready),
                 bytes(m.s_axil_wstrb),   bytes(m.s_axil_bvalid),  bytes(m.s_axil_bready), bytes(m.s_axil_bresp),
                 bytes(m.s_axil_arvalid), bytes(m.s_axil_arready), bytes(m.s_axil_rvalid), bytes(m.s_axil_rready),
                 bytes(m.s_axil_rresp),   &m.s_axil_awaddr,        &m.s_axil_wdata,        &m.s_axil_araddr,
                 &m.s_axil_rdata};
    pins.axi = memory_pins(m);
    find_interrupts(m, pins);
  }

  ~VerilatedDesign() override {
    close_waves();
    Verilated::threadContextp(&context_);
    write_coverage();
  }

  // Verilator's functions without a model find their context by thread; that of another card may be gone.
  void eval() override {
    Verilated::threadContextp(&context_);
    model_.eval();
  }

#if VM_TRACE_FST
  bool has_waves() const override { return true; }
  bool open_waves(const char *path) override {
    waves_ = std::make_unique<VerilatedFstC>();
    model_.trace(waves_.get(), 99);
    waves_->open(path);
    return waves_->isOpen();
  }
  void dump_waves(uint64_t nanoseconds) override { waves_->dump(nanoseconds); }
  void close_waves() override {
    if (waves_) waves_->close();
    waves_.reset();
  }
#else
  bool has_waves() const override { return false; }
  bool open_waves(const char *) override { return false; }
  void dump_waves(uint64_t) override {}
  void close_waves() override {}
#endif

 private:
  // Writes the coverage counts to the folder $GIRIH_COVERAGE, for girih.build.coverage.
  void write_coverage() {
#if VM_COVERAGE
    static int cards = 0;
    if (const char *folder = std::getenv("GIRIH_COVERAGE")) {
      const std::string name = std::string(folder) + "/card-" + std::to_string(getpid()) + "-" + std::to_string(cards++) + ".dat";
      context_.coveragep()->write(name.c_str());
    }
#endif
  }

  VerilatedContext context_;
  Vcard_sim model_;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> waves_;
#endif
};

}  // namespace

std::unique_ptr<Model> make_model(uint32_t seed) { return std::make_unique<VerilatedDesign>(seed); }

}  // namespace girih
