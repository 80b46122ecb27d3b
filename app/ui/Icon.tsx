import type { LucideIcon } from 'lucide-react'

interface Props {
  of: LucideIcon
  /** Pixels; the stroke is the same at both sizes. */
  size?: 16 | 20
  className?: string | undefined
  /** Accessible name, if the icon has a meaning that no text beside it has. */
  label?: string
}

/** An icon. Most have no accessible name: the control around them has one. */
export function Icon({ of: Drawn, size = 16, className, label }: Props) {
  const name = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true }
  return <Drawn size={size} strokeWidth={1.5} absoluteStrokeWidth className={className} {...name} />
}
