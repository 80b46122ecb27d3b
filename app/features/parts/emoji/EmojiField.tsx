import { i18n } from '@lingui/core'
import SmilePlus from 'lucide-react/icons/smile-plus'
import { Suspense, useCallback, useState } from 'react'
import { Icon } from '../../../ui/Icon.tsx'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import styles from './EmojiField.module.css'

const EmojiPicker = lazyComponent(() => import('./EmojiPicker.tsx'))

/** A standard emoji, on a button that opens the picker. */
export function EmojiField({ emoji, onPick }: { emoji: string | null; onPick: (emoji: string) => void }) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const close = useCallback(() => setAnchor(null), [])
  return (
    <>
      <button
        type="button"
        className={styles.pick}
        aria-label={emoji ? i18n._('Emoji: {emoji}', { emoji }) : i18n._('Choose an emoji')}
        aria-haspopup="true"
        aria-expanded={anchor !== null}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {emoji ?? <Icon of={SmilePlus} size={20} />}
      </button>
      {anchor ? (
        <Suspense>
          <EmojiPicker standardOnly anchor={anchor} onPick={onPick} onClose={close} />
        </Suspense>
      ) : null}
    </>
  )
}
