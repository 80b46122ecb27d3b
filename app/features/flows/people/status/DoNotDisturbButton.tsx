import { Suspense, useCallback, useState } from 'react'
import { usePresenceChoice } from '../../../../data/people/people.ts'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { PresenceDot } from '../../../../ui/PresenceDot.tsx'
import { useMe } from '../../../parts/members/MeContext.ts'
import { presenceLabel } from '../../../parts/members/presenceLabel.ts'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'

const PresenceMenu = lazyComponent(() => import('./PresenceMenu.tsx'))

/** Shown while "Do not disturb" is on, and opens the menu that ends it. */
export default function DoNotDisturbButton() {
  const { profile } = useMe()
  const manualPresence = usePresenceChoice(profile.id)
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = useCallback(() => setAnchor(null), [])
  if (manualPresence !== 'dnd' && !anchor) return null
  return (
    <>
      <IconButton
        label={presenceLabel('dnd')}
        icon={<PresenceDot state="dnd" label="" />}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      />
      <Suspense>{anchor ? <PresenceMenu anchor={anchor} onClose={close} bare /> : null}</Suspense>
    </>
  )
}
