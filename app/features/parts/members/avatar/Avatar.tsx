import { useState } from 'react'
import { useAvatarUrl } from '../../../../data/people/avatars.ts'
import { cx } from '../../../../ui/cx.ts'
import { avatarColor, initialsOf } from '../../../../ui/avatarColor.ts'
import styles from './Avatar.module.css'

interface Props {
  /** The profile's id, which determines the colour. */
  id: string
  name: string
  size?: 20 | 24 | 36 | 56
  className?: string | undefined
  /** Of another picture than that of the person with this id: the icon of a workspace, or null. */
  path?: string | null
  /** An emoji in place of the picture. */
  icon?: string | undefined
}

/** A person's picture, else their initials on their colour. Hidden from screen readers: the name is beside it. */
export function Avatar({ id, name, size = 36, className, path, icon }: Props) {
  const url = useAvatarUrl(id, path)
  const [broken, setBroken] = useState<string | null>(null)
  const { hue, tone, pattern } = avatarColor(id)
  return (
    <span
      aria-hidden
      className={cx(
        styles.avatar,
        styles[`s${size}`],
        styles[tone],
        styles[`p${pattern}`],
        icon && styles.icon,
        className,
      )}
      data-hue={hue}
      style={{ '--hue': hue } as React.CSSProperties}
    >
      {icon ? (
        icon
      ) : url && url !== broken ? (
        <img src={url} alt="" draggable={false} onError={() => setBroken(url)} />
      ) : (
        initialsOf(name, size === 20 ? 1 : 2)
      )}
    </span>
  )
}
