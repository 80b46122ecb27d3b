import { loadSettings } from './settings.ts'
import type { Client } from './supabase.ts'

let library: Promise<typeof import('./supabase.ts')> | null = null
let client: Promise<Client> | null = null

/** Begins to load the client library beside the shell; safe to call early and often. */
function loadLibrary() {
  library ??= import('./supabase.ts').catch((error: unknown) => {
    // A chunk that failed to load (offline, a new version) may load the next time.
    library = null
    throw error
  })
  return library
}

/** The client of the signed-in person. Rejects while settings or library can't be loaded. */
export function getClient(): Promise<Client> {
  client ??= Promise.all([loadLibrary(), loadSettings()])
    .then(([{ createSessionClient }, settings]) => createSessionClient(settings))
    .catch((error: unknown) => {
      client = null
      throw error
    })
  return client
}

/** A client that exchanges a code for a session without storing it: the account may be another than the one here. */
export async function getCodeExchangeClient(): Promise<Client> {
  const [{ createCodeExchangeClient }, settings, own] = await Promise.all([
    loadLibrary(),
    loadSettings(),
    getClient(),
  ])
  return createCodeExchangeClient(settings, own)
}

/** A fresh client without a session, for mail to somebody else. */
export async function getSessionlessClient(): Promise<Client> {
  const [{ createSessionlessClient }, settings] = await Promise.all([loadLibrary(), loadSettings()])
  return createSessionlessClient(settings)
}
