import type { LucideIcon } from 'lucide-react'
import { Suspense, useCallback, useRef, useState } from 'react'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

const EmojiPicker = lazyComponent(() => import('./EmojiPicker.tsx'), { preload: true })

interface Props {
  label: string
  keys?: string
  icon: LucideIcon
  size?: 16 | 20
  /** Marks the button of the toolbar, which is pressed by its key and by the menu. */
  'data-react'?: boolean
  className?: string | undefined
  onPick: (emoji: string) => void
  /** The picker opens or closes: its anchor must stay until then. */
  onOpen?: (open: boolean) => void
}

/** Opens the emoji picker. */
export function EmojiButton({ label, keys, icon, size = 16, className, onPick, onOpen, ...rest }: Props) {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  const close = useCallback(() => {
    setAnchor(null)
    onOpen?.(false)
  }, [onOpen])
  return (
    <>
      <IconButton
        ref={button}
        {...rest}
        label={label}
        {...(keys ? { keys } : {})}
        icon={<Icon of={icon} size={size} />}
        className={className}
        aria-haspopup="true"
        aria-expanded={anchor !== null}
        onClick={() => {
          setAnchor(button.current)
          onOpen?.(true)
        }}
      />
      {anchor ? (
        <Suspense>
          <EmojiPicker anchor={anchor} onPick={onPick} onClose={close} />
        </Suspense>
      ) : null}
    </>
  )
}
