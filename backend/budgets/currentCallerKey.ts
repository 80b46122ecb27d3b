import { AsyncLocalStorage } from 'node:async_hooks'

/** The key of the caller whose request is answered, where it would have to pass through too many functions. */
export const currentCallerKey = new AsyncLocalStorage<string>()
