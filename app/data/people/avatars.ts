import { useEffect, useState } from 'react'
import type { Uuid } from '../../../wire/scalars.ts'
import { useClientSession } from '../hooks/useClientSession.ts'

type Loaded = typeof import('./avatarCache.ts')

let loaded: Loaded | null = null

/** Loaded with the first avatar, so that it does not delay messages. */
async function load(): Promise<Loaded> {
  loaded = await import('./avatarCache.ts')
  return loaded
}

/**
 * The object URL of a person's avatar; null while it is fetched, without one, and for former members. `other`: the path of
 * another picture of the bucket.
 */
export function useAvatarUrl(profileId: Uuid, other?: string | null): string | null {
  const path = useClientSession((session) => {
    if (other !== undefined) return other
    const member = session?.store.get().members.get(profileId)
    return member?.state === 'active' ? member.profile.avatar : null
  })
  const [shown, setShown] = useState<{ path: string; url: string | null } | null>(null)
  useEffect(() => {
    if (path === null) return
    let isStopped = false
    let stop = () => {}
    const follow = ({ avatarCache, watchBytes }: Loaded) => {
      if (!isStopped) stop = watchBytes(avatarCache, path, ({ url }) => setShown({ path, url }))
    }
    if (loaded) follow(loaded)
    else load().then(follow, () => {})
    return () => {
      isStopped = true
      stop()
    }
  }, [path])
  if (path === null) return null
  if (shown?.path === path) return shown.url
  return loaded?.avatarCache.ready(path) ?? null
}
