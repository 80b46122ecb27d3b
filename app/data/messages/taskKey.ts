import { TASK } from './reactionKeys.ts'

/**
 * The key of a task's ticks. `line`: how many equal lines are before it, a space, and the line. Editing the line gives it
 * another key.
 */
export function taskKey(line: string): string {
  // FNV-1a, 32 bits: collisions within one message would need about 10,000 tasks.
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(line)) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return TASK + (hash >>> 0).toString(16).padStart(8, '0')
}
