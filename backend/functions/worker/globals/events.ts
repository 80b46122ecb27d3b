import { printError } from '../printError.ts'

interface Init {
  bubbles?: boolean
  cancelable?: boolean
}

/** Event classes of the global scope that Node lacks. */
class PromiseRejectionEvent extends Event {
  readonly promise: Promise<unknown>
  readonly reason: unknown

  constructor(type: string, init: Init & { promise: Promise<unknown>; reason?: unknown }) {
    super(type, init)
    this.promise = init.promise
    this.reason = init.reason
  }
}

class ErrorEvent extends Event {
  readonly message: string
  readonly error: unknown

  constructor(type: string, init: Init & { message?: string; error?: unknown } = {}) {
    super(type, init)
    this.message = init.message ?? ''
    this.error = init.error
  }
}

class CloseEvent extends Event {
  readonly code: number
  readonly reason: string
  readonly wasClean: boolean

  constructor(type: string, init: Init & { code?: number; reason?: string; wasClean?: boolean } = {}) {
    super(type, init)
    this.code = init.code ?? 0
    this.reason = init.reason ?? ''
    this.wasClean = init.wasClean ?? false
  }
}

class ProgressEvent extends Event {
  readonly lengthComputable: boolean
  readonly loaded: number
  readonly total: number

  constructor(
    type: string,
    init: Init & { lengthComputable?: boolean; loaded?: number; total?: number } = {},
  ) {
    super(type, init)
    this.lengthComputable = init.lengthComputable ?? false
    this.loaded = init.loaded ?? 0
    this.total = init.total ?? 0
  }
}

/** Installed only once a function adds a listener: without one, an unhandled rejection should end the worker. */
function dispatchRejections(target: EventTarget): void {
  process.on('unhandledRejection', (reason, promise) => {
    const event = new PromiseRejectionEvent('unhandledrejection', { cancelable: true, promise, reason })
    if (target.dispatchEvent(event)) throw reason
  })
}

function dispatchErrors(target: EventTarget): void {
  process.on('uncaughtException', (error) => {
    const event = new ErrorEvent('error', { cancelable: true, message: error.message, error })
    if (!target.dispatchEvent(event)) return
    printError(error)
    process.exit(1)
  })
}

type AddListener = EventTarget['addEventListener']

/**
 * Makes the global scope an EventTarget for `beforeunload`, which the worker dispatches before it ends, `unload`, `load`,
 * `error` and `unhandledrejection`.
 */
export function installEvents(scope: object): void {
  const target = new EventTarget()
  const listened = new Set<string>()
  const addEventListener: AddListener = (type, listener, options) => {
    if (!listened.has(type)) {
      listened.add(type)
      if (type === 'unhandledrejection') dispatchRejections(target)
      if (type === 'error') dispatchErrors(target)
    }
    target.addEventListener(type, listener, options)
  }
  const members = {
    addEventListener,
    removeEventListener: target.removeEventListener.bind(target),
    dispatchEvent: target.dispatchEvent.bind(target),
    PromiseRejectionEvent,
    ErrorEvent,
    CloseEvent,
    ProgressEvent,
    reportError: (error: unknown): void => {
      const event = new ErrorEvent('error', { cancelable: true, message: String(error), error })
      if (target.dispatchEvent(event)) printError(error)
    },
  }
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(scope, name, { value, configurable: true, writable: true })
  }
  for (const name of ['beforeunload', 'unload', 'load', 'error', 'unhandledrejection']) {
    let handler: ((event: Event) => unknown) | null = null
    Object.defineProperty(scope, `on${name}`, {
      configurable: true,
      get: () => handler,
      set(given: unknown) {
        const previous = handler
        handler = typeof given === 'function' ? (given as (event: Event) => unknown) : null
        if (previous === null && handler !== null) addEventListener(name, (event) => handler?.(event))
      },
    })
  }
}
