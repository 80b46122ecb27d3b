import { useEffect } from 'react'
import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { callCommand } from '../client/callCommand.ts'
import { setBounded } from '../hooks/setBounded.ts'
import { useClientSession } from '../hooks/useClientSession.ts'
import { getClientSession, sessionEmitter } from '../session/clientSession.ts'
import type { ClientSession } from '../session/clientSession.ts'
import { findLoadedMessage } from './messages.ts'

/** A fetched message is asked for again after this time (ms), since nobody announces its changes to this page. */
const FRESH_MS = 60_000
/** Fetched messages of a session; the oldest are dropped first. */
const MAX_FETCHED = 500
/** `messages_by_ids` takes as many. */
const MAX_IDS = 50

interface Fetched {
  /** Null: the reader may not read it. */
  message: Message | null
  /** `performance.now()` of the request. */
  at: number
}

const fetchedBySession = new WeakMap<ClientSession, Map<Uuid, Fetched>>()
const wanted = new Set<Uuid>()

/**
 * A quoted or forwarded message: the loaded one, else fetched with the reader's own rights. Null if they may not read it;
 * undefined until it is known.
 */
export function useReferencedMessage(id: Uuid): Message | null | undefined {
  const loaded = useClientSession((session) => session && findLoadedMessage(session, id))
  const fetched = useClientSession((session) => session && fetchedBySession.get(session)?.get(id)?.message)
  useEffect(() => {
    if (!loaded) request(id)
  }, [id, loaded])
  return loaded ?? fetched
}

/** Requests of one frame are one command. */
function request(id: Uuid): void {
  const session = getClientSession()
  const known = session && fetchedBySession.get(session)?.get(id)
  if (!session || (known && performance.now() - known.at < FRESH_MS)) return
  if (wanted.size === 0) requestAnimationFrame(() => void fetchWanted())
  wanted.add(id)
}

async function fetchWanted(): Promise<void> {
  const session = getClientSession()
  const ids = [...wanted].slice(0, MAX_IDS)
  for (const id of ids) wanted.delete(id)
  if (wanted.size > 0) requestAnimationFrame(() => void fetchWanted())
  if (!session || ids.length === 0) return
  const at = performance.now()
  const outcome = await callCommand('messages_by_ids', { ids })
  if (!outcome.ok || getClientSession() !== session) return
  const fetched = fetchedBySession.get(session) ?? new Map<Uuid, Fetched>()
  fetchedBySession.set(session, fetched)
  for (const id of ids) {
    const message = outcome.value.messages.find((one) => one.id === id) ?? null
    setBounded(fetched, id, { message, at }, MAX_FETCHED)
  }
  sessionEmitter.emit()
}
