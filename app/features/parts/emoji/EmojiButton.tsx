import type { LucideIcon } from 'lucide-react'
import { Suspense } from 'react'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { useAnchor } from '../../../ui/useAnchor.ts'

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
  const { ref, anchor, open, close } = useAnchor(onOpen)
  return (
    <>
      <IconButton
        ref={ref}
        {...rest}
        label={label}
        {...(keys ? { keys } : {})}
        icon={<Icon of={icon} size={size} />}
        className={className}
        aria-haspopup="true"
        aria-expanded={anchor !== null}
        onClick={open}
      />
      {anchor ? (
        <Suspense>
          <EmojiPicker anchor={anchor} onPick={onPick} onClose={close} />
        </Suspense>
      ) : null}
    </>
  )
}
