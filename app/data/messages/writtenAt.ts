import type { Message } from '../../../wire/messages.ts'
import type { Timestamp } from '../../../wire/scalars.ts'

/** When a message was written: before `created_at` if it was moved. */
export function writtenAt({ extras, created_at }: Message): Timestamp {
  return extras?.moved?.written_at ?? created_at
}
