// SPDX-License-Identifier: Apache-2.0
// The master of the control ring: an AXI4-Lite slave whose byte address is {4'h0, tenant, node,
// offset}, and the registers of the card itself at node 0xFF, which only the operator (tenant 0) may
// read. It also counts the cycles of the card, and those in which links between routers stall.
//
// One access at a time, reads and writes in turn. Every access ends:
//   OKAY    the node did it
//   SLVERR  the node has no such register, or not for this access or this tenant; the engine's window did not answer
//           in time (counted); or a write of less than 32 bits
//   DECERR  no such node: the request came back around the ring as it went
module ctrl_bridge
  import girih_pkg::*;
#(
    parameter logic [63:0] Digest = '0,  // of the design
    parameter int unsigned Ports = 1,
    parameter int unsigned Tiles = 1,
    parameter int unsigned Links = 0,  // between routers
    localparam int unsigned StallBits = Links > 0 ? Links : 1
) (
    input logic clk_i,
    input logic rst_i,

    input  logic        s_axil_awvalid,
    output logic        s_axil_awready,
    input  logic [31:0] s_axil_awaddr,
    input  logic [ 2:0] s_axil_awprot,
    input  logic        s_axil_wvalid,
    output logic        s_axil_wready,
    input  logic [31:0] s_axil_wdata,
    input  logic [ 3:0] s_axil_wstrb,
    output logic        s_axil_bvalid,
    input  logic        s_axil_bready,
    output logic [ 1:0] s_axil_bresp,
    input  logic        s_axil_arvalid,
    output logic        s_axil_arready,
    input  logic [31:0] s_axil_araddr,
    input  logic [ 2:0] s_axil_arprot,
    output logic        s_axil_rvalid,
    input  logic        s_axil_rready,
    output logic [31:0] s_axil_rdata,
    output logic [ 1:0] s_axil_rresp,

    output ctrl_t ctrl_o,
    // What comes back is the answer to the one request out there; whose it is, is known.
    /* verilator lint_off UNUSEDSIGNAL */
    input  ctrl_t ctrl_i,
    /* verilator lint_on UNUSEDSIGNAL */

    input logic [StallBits-1:0] link_stall_i,  // one bit for each link between routers

    output timestamp_t now_o
);
  localparam node_t CardNode = '1;

  typedef struct packed {
    logic [3:0] beyond;  // nothing has bits here
    tenant_t tenant;
    node_t node;
    logic [15:0] offset;
  } addr_t;

  typedef enum logic [1:0] {
    Okay = 2'b00,
    SlaveError = 2'b10,
    DecodeError = 2'b11
  } resp_e;

  typedef enum logic [2:0] {
    Idle,
    OnRing,
    OnCard,
    Write,
    Read
  } state_e;

  // What the master has said.
  logic aw_valid_q, w_valid_q, ar_valid_q;
  addr_t aw_q, ar_q;
  logic [31:0] w_data_q;
  logic [3:0] w_strb_q;
  logic unused_prot;
  assign s_axil_awready = !aw_valid_q;
  assign s_axil_wready = !w_valid_q;
  assign s_axil_arready = !ar_valid_q;
  assign unused_prot = ^{s_axil_awprot, s_axil_arprot};

  // Which access is next, and what becomes of it.
  state_e state_q;
  ctrl_t beat_q;  // the access, then its result
  resp_e resp_q;
  logic wrote_q;  // the last access was a write
  logic start, pick_write;
  addr_t addr;
  assign start = state_q == Idle && ((aw_valid_q && w_valid_q) || ar_valid_q);
  assign pick_write = aw_valid_q && w_valid_q && !(ar_valid_q && wrote_q);
  assign addr = pick_write ? aw_q : ar_q;

  logic card_done, card_error;
  logic [31:0] card_data;
  state_e answer;
  assign answer = beat_q.write ? Write : Read;

  always_ff @(posedge clk_i) begin
    if (s_axil_awvalid && s_axil_awready) begin
      aw_valid_q <= 1'b1;
      aw_q <= s_axil_awaddr;
    end
    if (s_axil_wvalid && s_axil_wready) begin
      w_valid_q <= 1'b1;
      w_data_q <= s_axil_wdata;
      w_strb_q <= s_axil_wstrb;
    end
    if (s_axil_arvalid && s_axil_arready) begin
      ar_valid_q <= 1'b1;
      ar_q <= s_axil_araddr;
    end

    beat_q.valid <= 1'b0;
    unique case (state_q)
      Idle:
      if (start) begin
        wrote_q <= pick_write;
        if (pick_write) begin
          aw_valid_q <= 1'b0;
          w_valid_q <= 1'b0;
        end else begin
          ar_valid_q <= 1'b0;
        end
        beat_q.response <= 1'b0;
        beat_q.write <= pick_write;
        beat_q.error <= 1'b0;
        beat_q.tenant <= addr.tenant;
        beat_q.node <= addr.node;
        beat_q.offset <= {addr.offset[15:2], 2'b00};
        beat_q.data <= w_data_q;
        if (addr.beyond != '0) begin
          resp_q  <= DecodeError;
          state_q <= pick_write ? Write : Read;
        end else if ((pick_write && w_strb_q != '1) || (addr.node == CardNode && addr.tenant != '0)) begin
          resp_q  <= SlaveError;
          state_q <= pick_write ? Write : Read;
        end else if (addr.node == CardNode) begin
          state_q <= OnCard;
        end else begin
          beat_q.valid <= 1'b1;
          state_q <= OnRing;
        end
      end
      OnRing:
      if (ctrl_i.valid) begin
        beat_q.data <= ctrl_i.data;
        if (!ctrl_i.response) resp_q <= DecodeError;
        else resp_q <= ctrl_i.error ? SlaveError : Okay;
        state_q <= answer;
      end
      OnCard:
      if (card_done) begin
        beat_q.data <= card_data;
        resp_q <= card_error ? SlaveError : Okay;
        state_q <= answer;
      end
      Write: if (s_axil_bready) state_q <= Idle;
      default: if (s_axil_rready) state_q <= Idle;
    endcase

    if (rst_i) begin
      aw_valid_q <= 1'b0;
      w_valid_q <= 1'b0;
      ar_valid_q <= 1'b0;
      beat_q.valid <= 1'b0;
      wrote_q <= 1'b0;
      state_q <= Idle;
    end
  end

  assign ctrl_o = beat_q;
  assign s_axil_bvalid = state_q == Write;
  assign s_axil_bresp = resp_q;
  assign s_axil_rvalid = state_q == Read;
  assign s_axil_rdata = resp_q == Okay ? beat_q.data : '0;
  assign s_axil_rresp = resp_q;

  logic [31:0] timeouts_q;
  always_ff @(posedge clk_i) begin
    if (ctrl_i.valid && ctrl_i.response && ctrl_i.error && ctrl_i.data[0]) timeouts_q <= timeouts_q + 1'b1;
    if (rst_i) timeouts_q <= '0;
  end

  logic [63:0] cycle_q;
  assign now_o = timestamp_t'(cycle_q);
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1'b1;
    if (rst_i) cycle_q <= '0;
  end

  card_regs_pkg::card__in_t card_values;
  assign card_values.digest.value.next = Digest;
  assign card_values.cycles.value.next = cycle_q;
  assign card_values.data_width.value.next = W;
  assign card_values.ports.value.next = Ports;
  assign card_values.tiles.value.next = Tiles;
  assign card_values.links.value.next = Links;
  assign card_values.timeouts.value.next = timeouts_q;

  card_regs_pkg::card__out_t card_requests;
  logic link_done, link_error;
  logic [31:0] link_data;
  link_stalls #(
      .Links(Links)
  ) u_link_stalls (
      .clk_i,
      .rst_i,
      .stall_i(link_stall_i),
      .request_i(card_requests.link.req),
      .write_i(beat_q.write),
      .word_i(card_requests.link.addr[12:2]),
      .done_o(link_done),
      .error_o(link_error),
      .data_o(link_data)
  );
  assign card_values.link.rd_ack = link_done && !beat_q.write;
  assign card_values.link.wr_ack = link_done && beat_q.write;
  assign card_values.link.rd_data = link_data;

  logic read_done, read_error, write_done, write_error;
  logic unused_stall_write, unused_stall_read;
  assign card_done = read_done || write_done;
  assign card_error = (beat_q.write ? write_error : read_error) || (beat_q.offset[15] && link_error);

  card_regs u_registers (
      .clk(clk_i),
      .rst(rst_i),
      .s_cpuif_req(state_q == OnCard),
      .s_cpuif_req_is_wr(beat_q.write),
      .s_cpuif_addr(beat_q.offset),
      .s_cpuif_wr_data(beat_q.data),
      .s_cpuif_wr_biten('1),
      .s_cpuif_req_stall_wr(unused_stall_write),
      .s_cpuif_req_stall_rd(unused_stall_read),
      .s_cpuif_rd_ack(read_done),
      .s_cpuif_rd_err(read_error),
      .s_cpuif_rd_data(card_data),
      .s_cpuif_wr_ack(write_done),
      .s_cpuif_wr_err(write_error),
      .hwif_in(card_values),
      .hwif_out(card_requests)
  );
endmodule
