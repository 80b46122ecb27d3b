/**
 * The protocol between server and worker over one socket: frames of `length of payload (u32) | kind (u8) | request ID
 * (u32) | payload`, little-endian. Many requests share the socket; heads are Latin-1 lines, as in HTTP, and bodies are
 * bytes.
 */
export const frameHeaderBytes = 9

/** Maximum bytes of a payload; a larger length is a protocol error. */
export const maxPayload = 1_048_576

/** Maximum bytes of a body in one frame. */
export const maxChunk = 65_536

/** Bytes of a body that may be in flight before the reader grants more credit, per request and direction. */
export const bodyWindow = 262_144

/** Frames from the server. */
export const toWorker = {
  /** JSON: `WorkerConfig`. The first frame, once. */
  load: 1,
  /** `body (u8) | length of head (u32) | head | the body if it is complete`. */
  request: 2,
  /** A chunk of a request's body. */
  body: 3,
  bodyEnd: 4,
  /** The client has disconnected, or the response is no longer needed. */
  cancel: 5,
  /** Credit (u32) for further bytes of the response's body. */
  credit: 6,
  /** Requests a pong with the same ID. */
  ping: 7,
  /** Finish requests in progress, then exit. */
  drain: 8,
} as const

/** Frames from a worker. */
export const toServer = {
  /** The function is loaded and has a handler. */
  ready: 16,
  /** Why loading failed, as UTF-8, for the log. */
  failed: 17,
  /** `body (u8) | status (u16) | length of head (u32) | head | the body if it is complete`. */
  response: 18,
  /** A chunk of a response's body. */
  chunk: 19,
  chunkEnd: 20,
  /** The body was aborted. */
  chunkFailed: 21,
  /** Credit (u32) for further bytes of the request's body. */
  credit: 22,
  /** `pending waitUntil promises (u32) | resident memory in KiB (u32) | CPU time in ms (u32)`. */
  pong: 23,
} as const

/** How the body of a request or response is sent. */
export const bodyKind = { none: 0, whole: 1, streamed: 2 } as const

/** The function that a new process loads. */
export interface WorkerConfig {
  name: string
  module: string
  folder: string
  env: Record<string, string>
  staticFiles: string[]
}
