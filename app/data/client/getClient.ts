import { loadSettings } from './settings.ts'
import type { Client } from './supabase.ts'

let library: Promise<typeof import('./supabase.ts')> | null = null
let client: Promise<Client> | null = null

/** Loads the client library, in parallel with the shell; further calls return the same promise. */
function loadLibrary() {
  library ??= import('./supabase.ts').catch((error: unknown) => {
    // Loading a chunk may fail offline and after an update: the next call tries again.
    library = null
    throw error
  })
  return library
}

/** The client of the signed-in user. Rejects if settings or library can't be loaded. */
export function getClient(): Promise<Client> {
  client ??= Promise.all([loadLibrary(), loadSettings()])
    .then(([{ createSessionClient }, settings]) => createSessionClient(settings))
    .catch((error: unknown) => {
      client = null
      throw error
    })
  return client
}

/** A client that exchanges a code for a session without storing it: it may be of another account. */
export async function getCodeExchangeClient(): Promise<Client> {
  const [{ createCodeExchangeClient }, settings, own] = await Promise.all([
    loadLibrary(),
    loadSettings(),
    getClient(),
  ])
  return createCodeExchangeClient(settings, own)
}
