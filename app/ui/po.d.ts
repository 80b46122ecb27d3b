/** A compiled catalog: in a build, the messages of the first screens. */
declare module '*.po' {
  import type { Messages } from '@lingui/core'
  export const messages: Messages
}

/** All other messages. */
declare module '*.po?rest' {
  import type { Messages } from '@lingui/core'
  export const messages: Messages
}
