// SPDX-License-Identifier: Apache-2.0
// Adapter of one Verilated design; the only file that is compiled for each design.
#include "model.hpp"

#include <cstring>

#include "Vcard_sim.h"
#include "verilated.h"
#if VM_COVERAGE
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "verilated_cov.h"
#endif
#if VM_TRACE_FST
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

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

// Contents of registers and memories before reset: random bits from this seed, or 0 everywhere for seed 0.
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

// The pins of an AXI4 master port, which has this prefix.
#define GIRIH_AXI_PINS(m, prefix)                                                                                              \
  (clear(m.prefix##_awready, m.prefix##_wready, m.prefix##_bid, m.prefix##_bresp, m.prefix##_bvalid, m.prefix##_arready,        \
         m.prefix##_rid, m.prefix##_rdata, m.prefix##_rresp, m.prefix##_rlast, m.prefix##_rvalid),                              \
   AxiPins{bytes(m.prefix##_awid),    bytes(m.prefix##_awlen),   bytes(m.prefix##_awvalid), bytes(m.prefix##_awready),          \
           bytes(m.prefix##_wdata),   bytes(m.prefix##_wstrb),   bytes(m.prefix##_wlast),   bytes(m.prefix##_wvalid),           \
           bytes(m.prefix##_wready),  bytes(m.prefix##_bid),     bytes(m.prefix##_bresp),   bytes(m.prefix##_bvalid),           \
           bytes(m.prefix##_bready),  bytes(m.prefix##_arid),    bytes(m.prefix##_arlen),   bytes(m.prefix##_arvalid),          \
           bytes(m.prefix##_arready), bytes(m.prefix##_rid),     bytes(m.prefix##_rdata),   bytes(m.prefix##_rresp),            \
           bytes(m.prefix##_rlast),   bytes(m.prefix##_rvalid),  bytes(m.prefix##_rready),  &m.prefix##_awaddr,                 \
           &m.prefix##_araddr})

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
    return GIRIH_AXI_PINS(m, m_axi);
  } else {
    return {};
  }
}

template <typename Top>
HostPins host_pins(Top &m) {
  if constexpr (requires { m.m_axi_host_awvalid; }) {
    return {GIRIH_AXI_PINS(m, m_axi_host), &m.host_interrupt_o};
  } else {
    return {};
  }
}

template <typename Top>
void find_edges(Top &m, Pins &pins, unsigned ports) {
  if constexpr (requires { m.s_axis_clk_i; }) {
    clear(m.s_axis_clk_i, m.m_axis_clk_i);
    pins.edges[0] = {{bytes(m.s_axis_clk_i), bytes(m.m_axis_clk_i)}, {bytes(m.s_axis_rst_o), bytes(m.m_axis_rst_o)},
                     sizeof m.s_axis_clk_i, (1u << ports) - 1, bytes(m.ports_hold_o)};
  }
  if constexpr (requires { m.memory_clk_i; }) {
    clear(m.memory_clk_i);
    pins.edges[1] = {{bytes(m.memory_clk_i), nullptr}, {bytes(m.memory_rst_o), nullptr}, 1, 1, bytes(m.memory_hold_o)};
  }
  if constexpr (requires { m.host_clk_i; }) {
    clear(m.host_clk_i);
    pins.edges[2] = {{bytes(m.host_clk_i), nullptr}, {bytes(m.host_rst_o), nullptr}, 1, 1, bytes(m.host_hold_o)};
  }
  if constexpr (requires { m.cores_clk_i; }) {
    clear(m.cores_clk_i);
    pins.edges[3] = {{bytes(m.cores_clk_i), nullptr}, {nullptr, nullptr}, 1, 1, bytes(m.cores_hold_o)};
  }
}

class VerilatedDesign final : public Model {
 public:
  VerilatedDesign(uint32_t seed, unsigned ports) : model_{started(context_, seed)} {
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
    pins.host = host_pins(m);
    find_edges(m, pins, ports);
  }

  ~VerilatedDesign() override {
    abandon_waves();
    Verilated::threadContextp(&context_);
    write_coverage();
  }

  // Verilator's functions without a model find their context by thread; that of another card may be gone.
  void eval() override {
    Verilated::threadContextp(&context_);
    model_.eval();
  }

  void check(bool on) override { context_.assertOn(on); }

#if VM_TRACE_FST
  bool has_waves() const override { return true; }
  void open_waves(const char *path) override {
    waves_path_ = path;
    waves_ = std::make_unique<VerilatedFstC>();
    model_.trace(waves_.get(), 99);
    written([&] { waves_->open(path); });
  }
  void dump_waves(uint64_t time) override {
    written([&] { waves_->dump(time); });
  }
  void close_waves() override {
    if (!waves_) return;
    written([&] { waves_->close(); });
    waves_.reset();
    if (!has_header()) throw std::system_error(EIO, std::generic_category(), "cannot write the waves " + waves_path_);
  }
#else
  bool has_waves() const override { return false; }
  void open_waves(const char *) override {}
  void dump_waves(uint64_t) override {}
  void close_waves() override {}
#endif

 private:
#if VM_TRACE_FST
  template <typename Body>
  void written(Body body) {
    errno = 0;
    try {
      body();
    } catch (const std::system_error &error) {
      abandon_waves();
      throw std::system_error(error.code(), "cannot write the waves " + waves_path_);
    }
  }

  // Its destructor would write again, and end the program.
  void abandon_waves() { static_cast<void>(waves_.release()); }

  // The length of the header, which is written last, and not if anything could not be written.
  bool has_header() const {
    std::ifstream file(waves_path_, std::ios::binary);
    char start[9] = {};
    file.read(start, sizeof start);
    return file && start[8] != 0;
  }
#else
  void abandon_waves() {}
#endif

  // Writes the coverage counts to a file of its own in the folder $GIRIH_COVERAGE, for girih.build.coverage. A process may have cards of several
  // designs, each with a copy of this code and its variables: so the file system has to find the name.
  void write_coverage() {
#if VM_COVERAGE
    if (const char *folder = std::getenv("GIRIH_COVERAGE")) {
      const std::string ending = ".dat";
      std::string name = std::string(folder) + "/card-XXXXXX" + ending;
      const int file = mkstemps(name.data(), static_cast<int>(ending.size()));
      if (file < 0) {
        std::perror(name.c_str());
        return;
      }
      close(file);
      context_.coveragep()->write(name.c_str());
    }
#endif
  }

  VerilatedContext context_;
  Vcard_sim model_;
#if VM_TRACE_FST
  std::unique_ptr<VerilatedFstC> waves_;
  std::string waves_path_;
#endif
};

}  // namespace

std::unique_ptr<Model> make_model(uint32_t seed, unsigned ports) { return std::make_unique<VerilatedDesign>(seed, ports); }

}  // namespace girih
