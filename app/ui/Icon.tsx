import type { LucideIcon } from 'lucide-react'

interface Props {
  of: LucideIcon
  /** Pixels; the stroke is the same at both sizes. */
  size?: 16 | 20
  className?: string | undefined
}

/** An icon without accessible name: the control around it has one. */
export function Icon({ of: Drawn, size = 16, className }: Props) {
  return <Drawn size={size} strokeWidth={1.5} absoluteStrokeWidth aria-hidden className={className} />
}
