import { AsyncLocalStorage } from 'node:async_hooks'

/** The key of the caller whose request is being answered, for functions that do not get it as an argument. */
export const currentCallerKey = new AsyncLocalStorage<string>()
