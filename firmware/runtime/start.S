// SPDX-License-Identifier: Apache-2.0
// Where a core starts, and where it goes after a fault and at its alarm. A program runs in user mode, if the core has memory protection for it; what is here runs
// in machine mode, on a stack of its own.
#include "girih_core_map.h"

#define MTIE (1 << 7)
#define MIE (1 << 3)
#define MACHINE (3 << 11)  // in mstatus: the trap came from machine mode
#define TOP_OF_RANGE (1 << 3)  // a region of memory protection from the address before it on
#define READ_WRITE 3
#define READ_EXECUTE 5
#define REGIONS (READ_EXECUTE | TOP_OF_RANGE | (READ_WRITE | TOP_OF_RANGE) << 8 | (READ_WRITE | TOP_OF_RANGE) << 24)
#define SAVED 80

// The program may have changed gp, by which what is linked here is found.
.macro global_pointer
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
.endm

    .section .vectors, "ax"
    .option push
    .option norvc
    .globl _vectors
_vectors:
    .rept 7
    j _fault
    .endr
    j _alarm
    .rept 24
    j _fault
    .endr
    .option pop
    .globl _start
_start:                         // 128 bytes after the vectors
    global_pointer
    la sp, _stack
    la a0, _machine_stack
    csrw mscratch, a0

    // What a program in user mode reaches: its code and constants, not to be changed; its data, not to be executed; its messages, and the
    // registers of the core but the last one.
    la a0, _data_start
    srli a0, a0, 2
_protect:                       // a core without memory protection has no such register, and traps
    csrw pmpaddr0, a0
    la a0, _stack
    srli a0, a0, 2
    csrw pmpaddr1, a0
    li a0, GIRIH_PACKETS_BASE >> 2
    csrw pmpaddr2, a0
    li a0, (GIRIH_DEVICES_BASE + GIRIH_DEVICE_RESTART) >> 2
    csrw pmpaddr3, a0
    li s0, REGIONS
    csrw pmpcfg0, s0

_load:
    la a0, _data_start
    la a1, _data_image
    la a2, _data_end
1:  bgeu a0, a2, 2f
    lw a3, 0(a1)
    sw a3, 0(a0)
    addi a0, a0, 4
    addi a1, a1, 4
    j 1b
2:  la a0, _bss_start
    la a1, _bss_end
3:  bgeu a0, a1, 4f
    sw zero, 0(a0)
    addi a0, a0, 4
    j 3b
4:  li a0, MTIE
    csrw mie, a0
    csrwi mstatus, MIE          // for machine mode; in user mode interrupts are always on
    .weak girih_machine_mode
    la a0, girih_machine_mode
    bnez a0, 5f
    beqz s0, 5f                 // there is no protection
    csrr a0, pmpcfg0
    bne a0, s0, 5f              // the core has fewer regions
    csrw mstatus, zero          // of the privilege before: user
    la a0, 5f
    csrw mepc, a0
    mret
5:  call main
    j girih_stop                // with what main returns

_fault:
    global_pointer
    la sp, _machine_stack
    csrr a1, mepc
    la a0, _protect
    bne a0, a1, 6f
    csrr a0, mstatus
    li a2, MACHINE
    and a0, a0, a2
    bne a0, a2, 6f              // a program in user mode went there
    la sp, _stack
    li s0, 0
    j _load
6:  csrr a0, mcause
    csrr a2, mtval
    j girih_fault

// The alarm goes off once. What the compiler does not keep in a call is kept here.
_alarm:
    csrrw sp, mscratch, sp
    addi sp, sp, -SAVED
    sw ra, 0(sp)
    sw t0, 4(sp)
    sw t1, 8(sp)
    sw t2, 12(sp)
    sw a0, 16(sp)
    sw a1, 20(sp)
    sw a2, 24(sp)
    sw a3, 28(sp)
    sw a4, 32(sp)
    sw a5, 36(sp)
    sw a6, 40(sp)
    sw a7, 44(sp)
    sw t3, 48(sp)
    sw t4, 52(sp)
    sw t5, 56(sp)
    sw t6, 60(sp)
    sw gp, 64(sp)
    global_pointer
    csrr t0, mip
    andi t0, t0, MTIE
    beqz t0, 2f                 // the program has just moved it
    li t0, GIRIH_DEVICES_BASE
    lw t1, GIRIH_DEVICE_ALARM(t0)  // of an alarm that the program was about to set
    sw t1, 68(sp)
    li t1, -1
    sw t1, GIRIH_DEVICE_ALARM_HIGH(t0)
    // A sleep begins again, so that it never waits for an alarm that has gone off.
    csrr t0, mepc
    la t1, girih_sleep_until
    la t2, _slept
    bltu t0, t1, 1f
    bgeu t0, t2, 1f
    csrw mepc, t1
1:  call girih_on_alarm
    li t0, GIRIH_DEVICES_BASE
    lw t1, 68(sp)
    sw t1, GIRIH_DEVICE_ALARM(t0)
2:  lw ra, 0(sp)
    lw t0, 4(sp)
    lw t1, 8(sp)
    lw t2, 12(sp)
    lw a0, 16(sp)
    lw a1, 20(sp)
    lw a2, 24(sp)
    lw a3, 28(sp)
    lw a4, 32(sp)
    lw a5, 36(sp)
    lw a6, 40(sp)
    lw a7, 44(sp)
    lw t3, 48(sp)
    lw t4, 52(sp)
    lw t5, 56(sp)
    lw t6, 60(sp)
    lw gp, 64(sp)
    addi sp, sp, SAVED
    csrrw sp, mscratch, sp
    mret

    .weak girih_on_alarm
girih_on_alarm:
    ret

// void girih_sleep_until(uint64_t time)
    .globl girih_sleep_until
girih_sleep_until:
    li t0, GIRIH_DEVICES_BASE
1:  lw t1, GIRIH_DEVICE_TIME_HIGH(t0)
    lw t2, GIRIH_DEVICE_TIME(t0)
    lw t3, GIRIH_DEVICE_TIME_HIGH(t0)
    bne t1, t3, 1b
    bltu a1, t1, _slept
    bne a1, t1, 2f
    bgeu t2, a0, _slept
2:  sw a0, GIRIH_DEVICE_ALARM(t0)
    sw a1, GIRIH_DEVICE_ALARM_HIGH(t0)
    wfi
    j girih_sleep_until
_slept:
    ret
