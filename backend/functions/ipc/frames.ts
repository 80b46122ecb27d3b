/**
 * What house and worker say to each other over one socket: frames of `length of payload (u32) | kind (u8) |
 * id of the request (u32) | payload`, little-endian. Many requests share the socket; heads are Latin-1 lines, as
 * HTTP's are, and bodies are bytes.
 */
export const frameHead = 9

/** Bytes of a payload at most; whoever announces more is not speaking this protocol. */
export const longestPayload = 1_048_576

/** Bytes of a body that one frame carries at most. */
export const longestPiece = 65_536

/** Bytes of a body that may be under way before the reader asks for more, for each request and direction. */
export const bodyWindow = 262_144

/** Frames of the house. */
export const toWorker = {
  /** JSON: `WorkerOrder`. The first frame, once. */
  load: 1,
  /** `body (u8) | length of head (u32) | head | the body where it is whole`. */
  request: 2,
  /** A piece of a request's body. */
  body: 3,
  bodyEnd: 4,
  /** The client has left, or the answer is wanted no longer. */
  cancel: 5,
  /** So many bytes more (u32) of the answer's body are welcome. */
  credit: 6,
  /** To be answered with a pong of the same id. */
  ping: 7,
  /** Finish what is under way, then end. */
  drain: 8,
} as const

/** Frames of a worker. */
export const toHouse = {
  /** The function is loaded and has a handler. */
  ready: 16,
  /** Why it is not, as UTF-8, for the log. */
  failed: 17,
  /** `body (u8) | status (u16) | length of head (u32) | head | the body where it is whole`. */
  answer: 18,
  /** A piece of an answer's body. */
  chunk: 19,
  chunkEnd: 20,
  /** The body broke off. */
  chunkFailed: 21,
  /** So many bytes more (u32) of the request's body are welcome. */
  credit: 22,
  /** `pending waitUntil promises (u32) | resident memory in KiB (u32) | CPU time in ms (u32)`. */
  pong: 23,
} as const

/** How the body of a request or answer comes. */
export const bodyKind = { none: 0, whole: 1, streamed: 2 } as const

/** What a fresh process is told to become. */
export interface WorkerOrder {
  name: string
  module: string
  folder: string
  env: Record<string, string>
  staticFiles: string[]
}
