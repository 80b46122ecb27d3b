/** A function that is ready to run: bundled, with its environment. */
export interface LoadedFunction {
  name: string
  /** Path of one ES module on disk; a changed function has another path. */
  module: string
  /** The folder of the entry point, for relative file names. */
  folder: string
  /** Files whose change, creation or deletion requires loading again. */
  inputs: string[]
  /** Whether the caller must send a token that this server issued. */
  verifyJwt: boolean
  /** The complete environment of the function: nothing is inherited. */
  env: Record<string, string>
  /** Absolute globs of the files that `Deno.readTextFile` and similar functions can read. */
  staticFiles: string[]
}

/**
 * Why there is nothing to run: no such function, disabled in config.toml, a file that can't be read or parsed, an import
 * that can't be resolved.
 */
export type FunctionErrorKind = 'unknown' | 'disabled' | 'unreadable' | 'import'

/** A function that can't be loaded; `message` is a sentence for the log and its developer, not for callers. */
export class FunctionError extends Error {
  override name = 'FunctionError'
  readonly kind: FunctionErrorKind
  /** Files whose change may fix it, as far as they are known. */
  readonly inputs: string[]

  constructor(kind: FunctionErrorKind, message: string, inputs: string[] = []) {
    super(message)
    this.kind = kind
    this.inputs = inputs
  }
}

/** Loads the function of that name as it is on disk now. Throws FunctionError. */
export type LoadFunction = (name: string) => Promise<LoadedFunction>

/** The second argument of a request handler. */
export interface HandlerInfo {
  remoteAddr: { transport: 'tcp'; hostname: string; port: number }
}

/** Handles requests; an exception becomes a 500. */
export type Handler = (request: Request, info: HandlerInfo) => Response | Promise<Response>

/**
 * What the worker process provides to the globals of a function. `installGlobals` is called once, before the function's
 * module is imported.
 */
export interface WorkerHost {
  name: string
  env: Record<string, string>
  /** As in LoadedFunction, like `staticFiles`. */
  folder: string
  staticFiles: string[]
  /** Sets the handler; the last one is used. For a default export with `fetch` the worker calls this itself. */
  serve(handler: Handler): void
  /** Keeps the worker alive until the promise has settled, within limits. */
  waitUntil(promise: Promise<unknown>): void
}

/** `backend/functions/worker/globals/installGlobals.ts` exports a function of this type. */
export type InstallGlobals = (host: WorkerHost) => void
