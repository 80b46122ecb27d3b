import type { Client } from './createSessionClient.ts'
import { loadSettings } from './settings.ts'

let client: Promise<Client> | null = null

/** The client of the signed-in user, whose library is loaded in parallel with the shell. Rejects if settings or library can't be loaded. */
export function getClient(): Promise<Client> {
  client ??= Promise.all([import('./createSessionClient.ts'), loadSettings()])
    .then(([{ createSessionClient }, settings]) => createSessionClient(settings))
    .catch((error: unknown) => {
      // Loading a chunk may fail offline and after an update: the next call tries again.
      client = null
      throw error
    })
  return client
}
