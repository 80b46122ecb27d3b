/** One function as it is ready to run: bundled, and with what it may know. */
export interface LoadedFunction {
  name: string
  /** Path of one ES module on disk; a changed function has another path. */
  module: string
  /** That of the entry point: relative names of files begin there. */
  folder: string
  /** Files whose change, appearance or disappearance asks for a new load. */
  inputs: string[]
  /** Whether the caller must show a token that this house issued. */
  verifyJwt: boolean
  /** All that the function may read of an environment: nothing is inherited. */
  env: Record<string, string>
  /** Absolute globs of the files that `Deno.readTextFile` and its like find. */
  staticFiles: string[]
}

/**
 * Why there is nothing to run: no such function, switched off in config.toml, a file that can't be read or
 * parsed, an import that can't be had.
 */
export type FunctionErrorKind = 'unknown' | 'disabled' | 'unreadable' | 'import'

/** A function that can't be loaded; `message` is a sentence for the log and its developer, not for callers. */
export class FunctionError extends Error {
  override name = 'FunctionError'
  readonly kind: FunctionErrorKind
  /** Files whose change may mend it, as far as they are known. */
  readonly inputs: string[]

  constructor(kind: FunctionErrorKind, message: string, inputs: string[] = []) {
    super(message)
    this.kind = kind
    this.inputs = inputs
  }
}

/** Loads the function of that name as it is on disk now. Throws FunctionError. */
export type LoadFunction = (name: string) => Promise<LoadedFunction>

/** What a request handler of a function is told beside the request. */
export interface HandlerInfo {
  remoteAddr: { transport: 'tcp'; hostname: string; port: number }
}

/** What answers requests; what it throws becomes a 500. */
export type Handler = (request: Request, info: HandlerInfo) => Response | Promise<Response>

/**
 * What the process around a function gives to the globals that the function sees. `installGlobals` is called
 * once, before the function's module is imported.
 */
export interface WorkerHost {
  name: string
  env: Record<string, string>
  /** As loading said, this and the next. */
  folder: string
  staticFiles: string[]
  /** The last one given answers; a default export with `fetch` is given by the worker itself. */
  serve(handler: Handler): void
  /** Keeps the worker until the promise has settled, within bounds. */
  waitUntil(promise: Promise<unknown>): void
}

/** `backend/functions/worker/globals/installGlobals.ts` exports a function of this type. */
export type InstallGlobals = (host: WorkerHost) => void
