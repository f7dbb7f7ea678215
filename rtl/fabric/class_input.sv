// SPDX-License-Identifier: Apache-2.0
// One input of a router or crossbar with two message classes: a queue per class, each in half of one memory, and beside it
// the output that each message requests. At most one flit is written and one read per cycle. As in fabric_input, a flit
// is routed while it is written, so that the flits that leave are chosen one cycle ahead.
//
// A flit comes only in a cycle after one in which its class had room (in_room_o): it cannot be refused. in_room_o is a register.
// Neither class depends on the other's queue.
module class_input
  import girih_pkg::*;
#(
    parameter int unsigned Ways  = 4,
    parameter int unsigned Depth = 16  // flits of each class
) (
    input logic clk_i,
    input logic rst_i,

    input  logic  [     1:0] in_valid_i,  // by class; at most one
    output logic  [     1:0] in_room_o,
    input  flit_t            in_flit_i,
    input  logic  [Ways-1:0] in_way_i,    // its output, if it starts a message

    output logic [1:0][Ways-1:0] request_d_o,  // by class, the output requested by a first flit at the head in the next cycle
    output logic [1:0] valid_d_o,  // in the next cycle a flit waits
    output logic [1:0] last_o,  // the flit at the head is the last of its message
    output flit_t flit_o,  // the head of the class that is taken
    input logic [1:0] take_i,  // it leaves in this cycle; at most one, and only what waits

    output logic [1:0] valid_o,  // a flit waits; its message's source and destination, for the watchdog of a simulation
    output address_t [1:0] src_o,
    output address_t [1:0] dst_o
);
  if (Depth < 2 || (Depth & (Depth - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "class_input: Depth is %0d; it must be a power of two, at least 2", Depth);
  end

  typedef struct packed {
    logic [Ways-1:0] request;
    logic last;
  } control_t;
  localparam int unsigned PtrWidth = $clog2(Depth);
  typedef logic [PtrWidth-1:0] ptr_t;
  typedef logic [PtrWidth:0] count_t;

  flit_t mem[2*Depth];
  control_t behind[2*Depth];  // at the places of the flits
  ptr_t write_ptr_q[2], read_ptr_q[2], next_ptr_q[2];  // next: the one behind the head
  ptr_t write_ptr, read_ptr, next_ptr;
  assign write_ptr = in_valid_i[1] ? write_ptr_q[1] : write_ptr_q[0];
  assign read_ptr = take_i[1] ? read_ptr_q[1] : read_ptr_q[0];
  assign next_ptr = take_i[1] ? next_ptr_q[1] : next_ptr_q[0];

  logic [1:0] first_q;  // the next flit of the class to arrive starts a message, as in fabric_input
  control_t incoming, following;
  assign incoming.request = |(in_valid_i & first_q) ? in_way_i : '0;
  assign incoming.last = in_flit_i.last;
  assign following = behind[{take_i[1], next_ptr}];
  assign flit_o = mem[{take_i[1], read_ptr}];

  always_ff @(posedge clk_i) begin
    if (|in_valid_i) begin
      mem[{in_valid_i[1], write_ptr}] <= in_flit_i;
      behind[{in_valid_i[1], write_ptr}] <= incoming;
    end
  end

  for (genvar c = 0; c < 2; c++) begin : gen_class
    count_t count_q, count_d;
    logic valid_q, more_q, room_q;  // flits wait, more than one, and there is room for two
    control_t head_q, head_d;
    logic push, take;
    assign push = in_valid_i[c];
    assign take = take_i[c];
    assign count_d = count_q + count_t'(push) - count_t'(take);

    always_comb begin
      head_d = head_q;
      if (take || !valid_q) head_d = more_q ? following : push ? incoming : '0;
    end

    always_ff @(posedge clk_i) begin
      head_q <= head_d;
      count_q <= count_d;
      valid_q <= valid_d_o[c];
      more_q <= count_d > count_t'(1);
      room_q <= count_d <= count_t'(Depth - 2);
      if (push) begin
        first_q[c] <= in_flit_i.last;
        write_ptr_q[c] <= write_ptr_q[c] + 1'b1;
      end
      if (take) begin
        read_ptr_q[c] <= next_ptr_q[c];
        next_ptr_q[c] <= next_ptr_q[c] + 1'b1;
      end
      if (rst_i) begin
        head_q <= '0;
        count_q <= '0;
        valid_q <= 1'b0;
        more_q <= 1'b0;
        room_q <= 1'b1;
        first_q[c] <= 1'b1;
        write_ptr_q[c] <= '0;
        read_ptr_q[c] <= '0;
        next_ptr_q[c] <= ptr_t'(1);
      end
    end

    assign in_room_o[c] = room_q;
    assign request_d_o[c] = head_d.request;
    assign valid_d_o[c] = push || (take ? more_q : valid_q);
    assign last_o[c] = head_q.last;
    assign valid_o[c] = valid_q;
    assign src_o[c] = mem[{1'(c), read_ptr_q[c]}].desc.src;
    assign dst_o[c] = mem[{1'(c), read_ptr_q[c]}].desc.dst;

    always_ff @(posedge clk_i) begin
      if (!rst_i) begin
        assert (count_q <= count_t'(Depth));
        assert (!push || count_q != count_t'(Depth));
        assert (valid_q || !take);
        assert (valid_q == (count_q != '0) && more_q == (count_q > count_t'(1)));
        assert (ptr_t'(read_ptr_q[c] + ptr_t'(count_q)) == write_ptr_q[c] && next_ptr_q[c] == ptr_t'(read_ptr_q[c] + 1'b1));
        if (valid_q && take) assert (head_q.last == flit_o.last);
        if (!valid_q) assert (head_q.request == '0);
        fills : cover (count_q == count_t'(Depth));
        straight_to_the_head : cover (push && take && !more_q);
        message_behind_another : cover (take && last_o[c] && more_q);
        waits_while_the_other_is_taken : cover (valid_q && take_i[1-c]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert ($onehot0(in_valid_i));
      assert ($onehot0(take_i));
    end
  end
endmodule
