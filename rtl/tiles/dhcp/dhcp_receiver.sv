// SPDX-License-Identifier: Apache-2.0
// Takes frames to UDP port 68, one at a time, and reads each byte by byte once it has arrived whole: checksums, lengths, the fixed fields and the
// options. It reads messages to other clients only as far as the transaction number. It never waits: a frame that arrives while another one is being read is
// dropped. Every frame is counted once: as a reply that is used, or by the reason of its drop.
module dhcp_receiver
  import girih_pkg::*, net_pkg::*, dhcp_types_pkg::*;
(
    input logic clk_i,
    input logic rst_i,

    input logic  valid_i,  // of frames to the client
    input flit_t flit_i,

    input mac_t        mac_i,
    input logic [31:0] xid_i,

    output logic   reply_valid_o,  // for one cycle
    output reply_t reply_o,

    output logic aborted_o,
    output logic busy_o,
    output logic long_o,
    output logic malformed_o,
    output logic checksum_o,
    output logic not_ours_o
);
  localparam int unsigned Rows = BufferBytes / FlitBytes;
  localparam int unsigned RowBits = $clog2(Rows);
  localparam int unsigned ByteBits = $clog2(FlitBytes);
  typedef logic [RowBits+ByteBits-1:0] place_t;

  // Frames are stored, a cycle after they came.
  logic valid_q, last_q, bad_q;
  logic [W-1:0] data_q;
  logic [EmptyWidth-1:0] empty_q;
  always_ff @(posedge clk_i) begin
    valid_q <= valid_i && !rst_i;
    {last_q, bad_q, empty_q, data_q} <= {flit_i.last, flit_i.bad, flit_i.empty, flit_i.data};
  end
  logic first_q, late_q, full_q, reading_q, start_q, store, ends, good;
  logic [RowBits-1:0] row_q;
  logic [RowBits+ByteBits:0] bytes_q;  // of the frame
  logic late;
  assign late = first_q ? reading_q : late_q;
  assign store = valid_q && !late && !full_q;
  assign ends = valid_q && last_q;
  assign good = ends && !late && !full_q && !bad_q;
  assign busy_o = ends && late;
  assign long_o = ends && !late && full_q && !bad_q;
  assign aborted_o = ends && !late && bad_q;

  logic read;
  logic [RowBits-1:0] read_row_q;
  logic [W-1:0] stored;
  ram_simple_dual #(
      .T(logic [W-1:0]),
      .Depth(Rows)
  ) u_frame (
      .clk_i,
      .write_enable_i(store),
      .write_addr_i(row_q),
      .write_data_i(data_q),
      .read_enable_i(read),
      .read_addr_i(read_row_q),
      .read_data_o(stored)
  );

  // A byte per cycle.
  typedef enum logic [2:0] {
    Idle,
    Fetch,
    Load,
    Bytes,
    Fold,
    Weigh,  // dhcp_terms takes four cycles
    Judge
  } state_e;
  state_e state_q;
  logic [1:0] weighed_q;
  place_t at_q;
  logic [W-1:0] row_data_q;
  logic [7:0] data;
  logic row_ends;
  assign data = row_data_q[7:0];
  assign row_ends = at_q[ByteBits-1:0] == '1;
  assign read = state_q == Fetch;

  logic [15:0] total_q, udp_length_q, length;
  logic [RowBits+ByteBits:0] end_q;  // of the datagram, known from its IPv4 header
  logic [31:0] header_sum_q, sum_q;
  logic no_checksum_q, malformed_q, ours_q, foreign_q, typed_q;
  logic [31:0] xid_q, cookie_q;
  mac_t chaddr_q;
  reply_t reply_q;
  assign length = 16'(total_q - 16'd20);

  typedef enum logic [1:0] {
    Code,
    Length,
    Value,
    Done
  } option_e;
  option_e option_q;
  logic [7:0] code_q, left_q, size_q;
  logic [31:0] value_q, value;
  assign value = size_q - left_q < 8'd4 ? {value_q[23:0], data} : value_q;

  logic is_last;
  assign is_last = (RowBits + ByteBits + 1)'(at_q) + 1'b1 == end_q;

  always_ff @(posedge clk_i) begin
    if (valid_q) begin
      first_q <= last_q;
      late_q <= late;
      row_q <= last_q ? '0 : row_q + 1'b1;
      full_q <= !last_q && (full_q || row_q == '1);
      if (good) bytes_q <= {1'b0, row_q, ByteBits'(0)} + (RowBits + ByteBits + 1)'(FlitBytes) - (RowBits + ByteBits + 1)'(empty_q);
    end
    start_q <= good;
    if (good) reading_q <= 1'b1;
    reply_valid_o <= 1'b0;
    malformed_o <= 1'b0;
    checksum_o <= 1'b0;
    not_ours_o <= 1'b0;
    unique case (state_q)
      Idle:
      if (start_q) begin
        state_q <= Fetch;
        read_row_q <= '0;
        at_q <= '0;
        end_q <= '1;
        header_sum_q <= '0;
        sum_q <= 32'(ProtocolUdp);
        malformed_q <= 1'b0;
        ours_q <= 1'b1;
        foreign_q <= 1'b0;
        typed_q <= 1'b0;
        option_q <= Code;
        reply_q <= '0;
      end
      Fetch: state_q <= Load;
      Load: begin
        row_data_q <= stored;
        read_row_q <= read_row_q + 1'b1;
        state_q <= Bytes;
      end
      Bytes: begin
        row_data_q <= row_data_q >> 8;
        at_q <= at_q + 1'b1;
        if (row_ends) state_q <= Fetch;
        // Sums: a byte at an even place is the high one.
        if (at_q >= place_t'(EthernetBytes) && at_q < place_t'(UdpAt)) header_sum_q <= header_sum_q + (at_q[0] ? 32'(data) : {16'b0, data, 8'b0});
        if (at_q >= place_t'(UdpAt - 8)) sum_q <= sum_q + (at_q[0] ? 32'(data) : {16'b0, data, 8'b0});
        if (at_q inside {place_t'(EthernetBytes + 2), place_t'(EthernetBytes + 3)}) total_q <= {total_q[7:0], data};
        if (at_q inside {place_t'(UdpAt + 4), place_t'(UdpAt + 5)}) udp_length_q <= {udp_length_q[7:0], data};
        if (at_q == place_t'(UdpAt - 2)) begin
          if (32'(bytes_q) < 32'(total_q) + EthernetBytes || 32'(total_q) < OptionsAt + 4 - EthernetBytes) malformed_q <= 1'b1;
          end_q <= (RowBits + ByteBits + 1)'(total_q + 16'(EthernetBytes));
        end
        if (at_q == place_t'(UdpAt + 6)) begin
          if (udp_length_q != length) malformed_q <= 1'b1;
          no_checksum_q <= data == '0;
        end
        if (at_q == place_t'(UdpAt + 7)) begin
          no_checksum_q <= no_checksum_q && data == '0;
          sum_q <= sum_q + 32'(data) + 32'(udp_length_q);
        end
        // The fixed fields: operation, hardware, transaction, address, own MAC address, magic cookie.
        if (at_q == place_t'(BootpAt) && data != 8'd2) ours_q <= 1'b0;
        if (at_q == place_t'(BootpAt + 1) && data != 8'd1) ours_q <= 1'b0;
        if (at_q == place_t'(BootpAt + 2) && data != 8'd6) ours_q <= 1'b0;
        if (at_q >= place_t'(BootpAt + 4) && at_q < place_t'(BootpAt + 8)) xid_q <= {xid_q[23:0], data};
        if (at_q >= place_t'(BootpAt + 16) && at_q < place_t'(BootpAt + 20)) reply_q.address <= {reply_q.address[23:0], data};
        if (at_q >= place_t'(BootpAt + 28) && at_q < place_t'(BootpAt + 34)) chaddr_q <= {chaddr_q[39:0], data};
        if (at_q >= place_t'(OptionsAt - 4) && at_q < place_t'(OptionsAt)) cookie_q <= {cookie_q[23:0], data};
        if (at_q >= place_t'(OptionsAt)) begin
          unique case (option_q)
            Code: begin
              code_q <= data;
              if (data == 8'hff) option_q <= Done;
              else if (data != '0) option_q <= Length;
            end
            Length: begin
              size_q <= data;
              left_q <= data;
              value_q <= '0;
              option_q <= data == '0 ? Code : Value;
              if (data == '0 && code_q inside {8'd1, 8'd3, 8'd51, 8'd53, 8'd54, 8'd58, 8'd59}) malformed_q <= 1'b1;
            end
            Value: begin
              left_q  <= left_q - 1'b1;
              value_q <= value;
              if (left_q == 8'd1) begin
                option_q <= Code;
                if (code_q inside {8'd1, 8'd51, 8'd54, 8'd58, 8'd59} && size_q != 8'd4) malformed_q <= 1'b1;
                if (code_q == 8'd3 && (size_q[1:0] != '0)) malformed_q <= 1'b1;
                unique case (code_q)
                  8'd1: reply_q.netmask <= value;
                  8'd3: reply_q.gateway <= value;
                  8'd51: reply_q.lease <= value;
                  8'd53: begin
                    typed_q <= 1'b1;
                    if (size_q != 8'd1) malformed_q <= 1'b1;
                    reply_q.kind <= value[7:0] == 8'd2 ? Offer : value[7:0] == 8'd5 ? Ack : value[7:0] == 8'd6 ? Nak : NoKind;
                  end
                  8'd54: reply_q.server <= value;
                  8'd58: reply_q.renewal <= value;
                  8'd59: reply_q.rebinding <= value;
                  default: ;
                endcase
              end
            end
            default: ;
          endcase
        end
        // Other clients' messages are read no further, so that many of them leave time for this client's.
        if (at_q == place_t'(BootpAt + 8) && (!ours_q || xid_q != xid_i)) foreign_q <= 1'b1;
        if (is_last || malformed_q || foreign_q) state_q <= Fold;
      end
      Fold: begin
        header_sum_q <= 32'(header_sum_q[31:16]) + 32'(header_sum_q[15:0]);
        sum_q <= 32'(sum_q[31:16]) + 32'(sum_q[15:0]);
        weighed_q <= '0;
        if (header_sum_q[31:16] == '0 && sum_q[31:16] == '0) state_q <= Weigh;
      end
      Weigh: begin
        weighed_q <= weighed_q + 1'b1;
        if (weighed_q == '1) state_q <= Judge;
      end
      default: begin
        state_q <= Idle;
        reading_q <= 1'b0;
        if (foreign_q) not_ours_o <= 1'b1;
        else if (malformed_q || cookie_q != Cookie || option_q inside {Length, Value} || !typed_q) malformed_o <= 1'b1;
        else if (header_sum_q[15:0] != '1 || (!no_checksum_q && sum_q[15:0] != '1)) checksum_o <= 1'b1;
        else if (chaddr_q != mac_i || xid_q != xid_i) not_ours_o <= 1'b1;  // another request may have been made since the number was read
        else reply_valid_o <= 1'b1;
      end
    endcase
    if (rst_i) begin
      state_q <= Idle;
      first_q <= 1'b1;
      row_q <= '0;
      full_q <= 1'b0;
      reading_q <= 1'b0;
      start_q <= 1'b0;
      reply_valid_o <= 1'b0;
      malformed_o <= 1'b0;
      checksum_o <= 1'b0;
      not_ours_o <= 1'b0;
    end
  end
  assign reply_o = reply_q;

  logic unused;
  assign unused = &{1'b0, flit_i};
endmodule
