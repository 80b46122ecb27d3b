import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { createLocalFinding, type LocalFinding } from './LocalFinding.ts'

/** A name that this server needs, and the error code of its resolution. */
export interface DnsFacts {
  use: 'mail' | 'address'
  name: string
  error: string | null
}

/** Judges whether the names that this server needs can be resolved. */
export function judgeDns(names: readonly DnsFacts[]): LocalFinding[] {
  const failed = names.filter(({ error }) => error !== null)
  if (failed.length === 0) return names.length === 0 ? [] : [createLocalFinding('dns.resolved', {})]
  return failed.map(({ use, name, error }) =>
    createLocalFinding('dns.unresolved', { name: use }, { details: [`${name}: ${error}`] }),
  )
}

/** Resolves names as the system does for connections. Addresses need no resolution. */
export async function readDns(names: readonly Omit<DnsFacts, 'error'>[]): Promise<DnsFacts[]> {
  const hosts = names.filter(({ name }) => isIP(name.replace(/^\[|\]$/g, '')) === 0)
  return Promise.all(hosts.map(resolveHost))
}

async function resolveHost({ use, name }: Omit<DnsFacts, 'error'>): Promise<DnsFacts> {
  try {
    await lookup(name)
    return { use, name, error: null }
  } catch (error) {
    return { use, name, error: (error as NodeJS.ErrnoException).code ?? 'unknown' }
  }
}
