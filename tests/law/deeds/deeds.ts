import { belonging } from './belonging.ts'
import type { Deeds } from './doing.ts'
import { faults } from './faults.ts'
import { ordering } from './ordering.ts'
import { reading } from './reading.ts'
import { threads } from './threads.ts'
import { writing } from './writing.ts'

/** All that people do and that befalls them, by name. */
export const DEEDS: Deeds = { ...writing, ...reading, ...threads, ...belonging, ...ordering, ...faults }
