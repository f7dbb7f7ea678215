// SPDX-License-Identifier: Apache-2.0
// Joins two tiles' ports to the host into the card's. If both offer an access, the tile that has had fewer beats recently goes first, so each has
// half of the beats, whatever the sizes of its accesses. The uppermost bit of an ID tells the tile. One cycle for addresses and write data; none for
// answers, which are always taken.
module host_join
  import girih_pkg::*, host_access_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input  logic [1:0][  HostIdBits-1:0] s_axi_host_awid,
    input  logic [1:0][HostAddrBits-1:0] s_axi_host_awaddr,
    input  logic [1:0][             7:0] s_axi_host_awlen,
    input  logic [1:0][             2:0] s_axi_host_awsize,
    input  logic [1:0][             1:0] s_axi_host_awburst,
    input  logic [1:0]                   s_axi_host_awlock,
    input  logic [1:0][             3:0] s_axi_host_awcache,
    input  logic [1:0][             2:0] s_axi_host_awprot,
    input  logic [1:0]                   s_axi_host_awvalid,
    output logic [1:0]                   s_axi_host_awready,
    input  logic [1:0][           W-1:0] s_axi_host_wdata,
    input  logic [1:0][   FlitBytes-1:0] s_axi_host_wstrb,
    input  logic [1:0]                   s_axi_host_wlast,
    input  logic [1:0]                   s_axi_host_wvalid,
    output logic [1:0]                   s_axi_host_wready,
    output logic [1:0][  HostIdBits-1:0] s_axi_host_bid,
    output logic [1:0][             1:0] s_axi_host_bresp,
    output logic [1:0]                   s_axi_host_bvalid,
    input  logic [1:0]                   s_axi_host_bready,
    input  logic [1:0][  HostIdBits-1:0] s_axi_host_arid,
    input  logic [1:0][HostAddrBits-1:0] s_axi_host_araddr,
    input  logic [1:0][             7:0] s_axi_host_arlen,
    input  logic [1:0][             2:0] s_axi_host_arsize,
    input  logic [1:0][             1:0] s_axi_host_arburst,
    input  logic [1:0]                   s_axi_host_arlock,
    input  logic [1:0][             3:0] s_axi_host_arcache,
    input  logic [1:0][             2:0] s_axi_host_arprot,
    input  logic [1:0]                   s_axi_host_arvalid,
    output logic [1:0]                   s_axi_host_arready,
    output logic [1:0][  HostIdBits-1:0] s_axi_host_rid,
    output logic [1:0][           W-1:0] s_axi_host_rdata,
    output logic [1:0][             1:0] s_axi_host_rresp,
    output logic [1:0]                   s_axi_host_rlast,
    output logic [1:0]                   s_axi_host_rvalid,
    input  logic [1:0]                   s_axi_host_rready,

    output logic [   HostIdBits-1:0] m_axi_host_awid,
    output logic [ HostAddrBits-1:0] m_axi_host_awaddr,
    output logic [              7:0] m_axi_host_awlen,
    output logic [              2:0] m_axi_host_awsize,
    output logic [              1:0] m_axi_host_awburst,
    output logic                     m_axi_host_awlock,
    output logic [              3:0] m_axi_host_awcache,
    output logic [              2:0] m_axi_host_awprot,
    output logic                     m_axi_host_awvalid,
    input  logic                     m_axi_host_awready,
    output logic [            W-1:0] m_axi_host_wdata,
    output logic [    FlitBytes-1:0] m_axi_host_wstrb,
    output logic                     m_axi_host_wlast,
    output logic                     m_axi_host_wvalid,
    input  logic                     m_axi_host_wready,
    input  logic [   HostIdBits-1:0] m_axi_host_bid,
    input  logic [              1:0] m_axi_host_bresp,
    input  logic                     m_axi_host_bvalid,
    output logic                     m_axi_host_bready,
    output logic [   HostIdBits-1:0] m_axi_host_arid,
    output logic [ HostAddrBits-1:0] m_axi_host_araddr,
    output logic [              7:0] m_axi_host_arlen,
    output logic [              2:0] m_axi_host_arsize,
    output logic [              1:0] m_axi_host_arburst,
    output logic                     m_axi_host_arlock,
    output logic [              3:0] m_axi_host_arcache,
    output logic [              2:0] m_axi_host_arprot,
    output logic                     m_axi_host_arvalid,
    input  logic                     m_axi_host_arready,
    input  logic [   HostIdBits-1:0] m_axi_host_rid,
    input  logic [            W-1:0] m_axi_host_rdata,
    input  logic [              1:0] m_axi_host_rresp,
    input  logic                     m_axi_host_rlast,
    input  logic                     m_axi_host_rvalid,
    output logic                     m_axi_host_rready
);
  localparam int unsigned Turns = 2;  // writes whose data have not all arrived: few, since the order is fixed with the address
  localparam int unsigned Whose = HostIdBits - 1;  // the bit of an ID that tells the tile

  typedef struct packed {
    logic [HostIdBits-1:0] id;
    logic [HostAddrBits-1:0] addr;
    logic [7:0] len;
    logic [2:0] size;
    logic [1:0] burst;
    logic lock;
    logic [3:0] cache;
    logic [2:0] prot;
  } request_t;
  typedef struct packed {
    logic last;
    logic [FlitBytes-1:0] strb;
    logic [W-1:0] data;
  } write_t;

  request_t [1:0] ar, aw;
  for (genvar i = 0; i < 2; i++) begin : gen_request
    assign ar[i] = '{
            id: {1'(i), s_axi_host_arid[i][Whose-1:0]},
            addr: s_axi_host_araddr[i],
            len: s_axi_host_arlen[i],
            size: s_axi_host_arsize[i],
            burst: s_axi_host_arburst[i],
            lock: s_axi_host_arlock[i],
            cache: s_axi_host_arcache[i],
            prot: s_axi_host_arprot[i]
        };
    assign aw[i] = '{
            id: {1'(i), s_axi_host_awid[i][Whose-1:0]},
            addr: s_axi_host_awaddr[i],
            len: s_axi_host_awlen[i],
            size: s_axi_host_awsize[i],
            burst: s_axi_host_awburst[i],
            lock: s_axi_host_awlock[i],
            cache: s_axi_host_awcache[i],
            prot: s_axi_host_awprot[i]
        };
  end

  logic ar_turn, aw_turn, ar_ready, aw_ready, aw_taken, turns_ready;
  host_turn u_ar_turn (
      .clk_i,
      .rst_i,
      .offers_i(s_axi_host_arvalid),
      .len_i(s_axi_host_arlen),
      .taken_i(|s_axi_host_arvalid && ar_ready),
      .turn_o(ar_turn)
  );
  host_turn u_aw_turn (
      .clk_i,
      .rst_i,
      .offers_i(s_axi_host_awvalid),
      .len_i(s_axi_host_awlen),
      .taken_i(aw_taken),
      .turn_o(aw_turn)
  );
  assign s_axi_host_arready = {ar_turn && ar_ready, !ar_turn && ar_ready};
  assign s_axi_host_awready = {aw_turn && aw_ready && turns_ready, !aw_turn && aw_ready && turns_ready};
  assign aw_taken = |s_axi_host_awvalid && aw_ready && turns_ready;

  request_t m_ar, m_aw;
  skid_buffer #(
      .T(request_t)
  ) u_ar (
      .clk_i,
      .rst_i,
      .in_valid_i(|s_axi_host_arvalid),
      .in_ready_o(ar_ready),
      .in_data_i(ar[ar_turn]),
      .out_valid_o(m_axi_host_arvalid),
      .out_ready_i(m_axi_host_arready),
      .out_data_o(m_ar)
  );
  skid_buffer #(
      .T(request_t)
  ) u_aw (
      .clk_i,
      .rst_i,
      .in_valid_i(aw_taken),
      .in_ready_o(aw_ready),
      .in_data_i(aw[aw_turn]),
      .out_valid_o(m_axi_host_awvalid),
      .out_ready_i(m_axi_host_awready),
      .out_data_o(m_aw)
  );
  assign {m_axi_host_arid, m_axi_host_araddr, m_axi_host_arlen, m_axi_host_arsize, m_axi_host_arburst, m_axi_host_arlock,
      m_axi_host_arcache, m_axi_host_arprot} = m_ar;
  assign {m_axi_host_awid, m_axi_host_awaddr, m_axi_host_awlen, m_axi_host_awsize, m_axi_host_awburst, m_axi_host_awlock,
      m_axi_host_awcache, m_axi_host_awprot} = m_aw;

  // Write data follow in the order of the addresses, from the cycle in which the address is taken. A tile that has given an address gives its data
  // without waiting for anything else, so that neither tile holds up the other for longer than its data take.
  logic w_turn_valid, w_turn, w_offered, w_ready, w_live, w_whose, w_ends;
  write_t w, m_w;
  fifo #(
      .T(logic),
      .Depth(Turns)
  ) u_turns (
      .clk_i,
      .rst_i,
      .in_valid_i(aw_taken && (w_turn_valid || !w_ends)),
      .in_ready_o(turns_ready),
      .in_data_i(aw_turn),
      .out_valid_o(w_turn_valid),
      .out_ready_i(w_ends),
      .out_data_o(w_turn)
  );
  assign w_live = w_turn_valid || aw_taken;
  assign w_whose = w_turn_valid ? w_turn : aw_turn;
  // Not by w_whose, which is late and has the data's loads.
  logic [1:0] last_beat;
  assign last_beat = s_axi_host_wvalid & s_axi_host_wlast;
  assign w_offered = w_turn_valid ? s_axi_host_wvalid[w_turn] : aw_taken && s_axi_host_wvalid[aw_turn];
  assign w_ends = w_ready && (w_turn_valid ? last_beat[w_turn] : aw_taken && last_beat[aw_turn]);
  assign w = '{last: s_axi_host_wlast[w_whose], strb: s_axi_host_wstrb[w_whose], data: s_axi_host_wdata[w_whose]};
  assign s_axi_host_wready = {w_live && w_whose && w_ready, w_live && !w_whose && w_ready};
  skid_buffer #(
      .T(write_t)
  ) u_w (
      .clk_i,
      .rst_i,
      .in_valid_i(w_offered),
      .in_ready_o(w_ready),
      .in_data_i(w),
      .out_valid_o(m_axi_host_wvalid),
      .out_ready_i(m_axi_host_wready),
      .out_data_o(m_w)
  );
  assign {m_axi_host_wlast, m_axi_host_wstrb, m_axi_host_wdata} = m_w;

  // Answers.
  assign m_axi_host_rready = 1'b1;
  assign m_axi_host_bready = 1'b1;
  for (genvar i = 0; i < 2; i++) begin : gen_answer
    assign s_axi_host_rid[i] = {1'b0, m_axi_host_rid[Whose-1:0]};
    assign s_axi_host_rdata[i] = m_axi_host_rdata;
    assign s_axi_host_rresp[i] = m_axi_host_rresp;
    assign s_axi_host_rlast[i] = m_axi_host_rlast;
    assign s_axi_host_rvalid[i] = m_axi_host_rvalid && m_axi_host_rid[Whose] == 1'(i);
    assign s_axi_host_bid[i] = {1'b0, m_axi_host_bid[Whose-1:0]};
    assign s_axi_host_bresp[i] = m_axi_host_bresp;
    assign s_axi_host_bvalid[i] = m_axi_host_bvalid && m_axi_host_bid[Whose] == 1'(i);
    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (s_axi_host_rready[i] && s_axi_host_bready[i])
        else $error("host_join: tile %0d does not take an answer", i);
        assert (!(s_axi_host_arvalid[i] && s_axi_host_arid[i][Whose]) && !(s_axi_host_awvalid[i] && s_axi_host_awid[i][Whose]))
        else $error("host_join: tile %0d uses an ID that is not its own", i);
      end
    end
  end
endmodule
