import { setFlagsFromString } from 'node:v8'

/** How much the heap grows between two garbage collections, in percent of the memory that is in use after the first one. */
export const heapGrowthFlag = '--heap-growing-percent=20'

/**
 * Collects garbage earlier for the rest of the process. By default V8 lets the heap grow to a multiple of the memory that is in use: an
 * export with 62,000 conversations uses 115 MiB of heap, and the process took 581 MiB. With the flag it takes 272 MiB and up to half more
 * processor time.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(heapGrowthFlag)
}
