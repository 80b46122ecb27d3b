import { Suspense, useCallback, useState } from 'react'
import { useSaid } from '../../data/people/people.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import { useMe } from './MeContext.ts'
import { presenceWord } from './presenceWord.ts'
import { lazily } from '../../ui/lazily.tsx'

const PresenceMenu = lazily(() => import('./status/PresenceMenu.tsx'))

/** Reminds the reader, while they are not to be disturbed, and ends it; nothing else. */
export function QuietMark() {
  const { profile } = useMe()
  const said = useSaid(profile.id)
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = useCallback(() => setAnchor(null), [])
  if (said !== 'dnd' && !anchor) return null
  return (
    <>
      <IconButton
        label={presenceWord('dnd')}
        icon={<PresenceDot state="dnd" label="" />}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      />
      <Suspense>{anchor ? <PresenceMenu anchor={anchor} onClose={close} bare /> : null}</Suspense>
    </>
  )
}
