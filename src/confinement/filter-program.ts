/**
 * Classic BPF as seccomp takes it: instructions over `struct seccomp_data`, and their bytes.
 * Source: `<linux/filter.h>`, `<linux/bpf_common.h>`, `<linux/seccomp.h>`; https://docs.kernel.org/userspace-api/seccomp_filter.html
 */

export interface Instruction {
  readonly code: number;
  /** How many of the next instructions are left out when the comparison holds, and when it does not; below 256. */
  readonly ifTrue: number;
  readonly ifFalse: number;
  readonly value: number;
}

/** Offsets in `struct seccomp_data`; both architectures are little-endian, so an argument's low word comes first. */
const OFFSETS = { number: 0, architecture: 4, arguments: 16 } as const;

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

export const ALLOW = returned(0x7fff0000);
export const KILL = returned(0x80000000);

/** The call is not made, and says this error number. */
export function refuse(errorNumber: number): Instruction {
  return returned(0x00050000 + errorNumber);
}

export const loadNumber = load(OFFSETS.number);
export const loadArchitecture = load(OFFSETS.architecture);

/** The low 32 bits of an argument: all that the kernel looks at in the arguments that the filter judges. */
export function loadArgument(index: number): Instruction {
  return load(OFFSETS.arguments + 8 * index);
}

/** The other half of an argument that is a length. */
export function loadHighArgument(index: number): Instruction {
  return load(OFFSETS.arguments + 8 * index + 4);
}

/** Performs `then` when the loaded word is the value; goes past it otherwise. */
export function whenEqual(value: number, then: readonly Instruction[]): readonly Instruction[] {
  return when(JUMP_EQUAL, value, then);
}

/** Performs `then` when the loaded word is anything else. */
export function unlessEqual(value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [{ code: JUMP_EQUAL, ifTrue: then.length, ifFalse: 0, value }, ...then];
}

export function whenAtLeast(value: number, then: readonly Instruction[]): readonly Instruction[] {
  return when(JUMP_AT_LEAST, value, then);
}

/** Performs `then` when the loaded word has one of the bits. */
export function whenAnyBit(bits: number, then: readonly Instruction[]): readonly Instruction[] {
  return when(JUMP_ANY_BIT, bits, then);
}

/** The bytes that `bwrap --seccomp` reads: an array of `struct sock_filter`. */
export function bytesOf(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, { code, ifTrue, ifFalse, value }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}

function when(code: number, value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [{ code, ifTrue: 0, ifFalse: then.length, value }, ...then];
}

function load(offset: number): Instruction {
  return { code: LOAD_WORD, ifTrue: 0, ifFalse: 0, value: offset };
}

function returned(value: number): Instruction {
  return { code: RETURN, ifTrue: 0, ifFalse: 0, value };
}
