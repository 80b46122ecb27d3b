import type { Uuid } from '../../../../wire/scalars.ts'

/** The page of a channel that anyone can read without signing in. */
export function webPath(channel: Uuid): string {
  return `/w/${channel}`
}
