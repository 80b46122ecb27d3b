import { tellError } from '../tellError.ts'

interface Init {
  bubbles?: boolean
  cancelable?: boolean
}

/** Names of events of the global scope that a function may wait for. */
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

/** Hears what nobody caught only once a function asks: unheard, it ends the worker, and that is right. */
function hearRejections(target: EventTarget): void {
  process.on('unhandledRejection', (reason, promise) => {
    const event = new PromiseRejectionEvent('unhandledrejection', { cancelable: true, promise, reason })
    if (target.dispatchEvent(event)) throw reason
  })
}

function hearErrors(target: EventTarget): void {
  process.on('uncaughtException', (error) => {
    const event = new ErrorEvent('error', { cancelable: true, message: error.message, error })
    if (!target.dispatchEvent(event)) return
    tellError(error)
    process.exit(1)
  })
}

type AddListener = EventTarget['addEventListener']

/**
 * Makes the global scope a target of events: `beforeunload`, which the worker sends before it ends, `unload`,
 * `load`, `error`, `unhandledrejection`.
 */
export function installEvents(scope: object): void {
  const target = new EventTarget()
  const heard = new Set<string>()
  const addEventListener: AddListener = (type, listener, options) => {
    if (!heard.has(type)) {
      heard.add(type)
      if (type === 'unhandledrejection') hearRejections(target)
      if (type === 'error') hearErrors(target)
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
      if (target.dispatchEvent(event)) tellError(error)
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
