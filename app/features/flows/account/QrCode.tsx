import { renderSVG } from 'uqr'
import { cx } from '../../../ui/cx.ts'
import { useDelayed } from '../../../ui/useDelayed.ts'
import security from './security.module.css'

/** The width and the height (px). */
const SIZE = 240

/** Shows a text, such as a link, as a QR code. `label` describes it to screen readers. */
export function QrCode({ text, label }: { text: string; label: string }) {
  return (
    <img
      className={security.code}
      src={`data:image/svg+xml;utf-8,${encodeURIComponent(renderSVG(text))}`}
      alt={label}
      width={SIZE}
      height={SIZE}
    />
  )
}

/** A placeholder of the size of a QR code, so that nothing moves when the code replaces it. */
export function QrCodePlace({ label }: { label: string }) {
  const isShown = useDelayed(true)
  return (
    <div
      role="status"
      aria-label={label}
      className={cx(security.place, isShown && security.shown)}
      style={{ width: SIZE, height: SIZE }}
    />
  )
}
