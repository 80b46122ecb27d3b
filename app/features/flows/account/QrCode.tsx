import { renderSVG } from 'uqr'
import security from './security.module.css'

/** Shows a text, such as a link, as a QR code. `label` describes it to screen readers. */
export function QrCode({ text, label }: { text: string; label: string }) {
  return (
    <img
      className={security.code}
      src={`data:image/svg+xml;utf-8,${encodeURIComponent(renderSVG(text))}`}
      alt={label}
      width={240}
      height={240}
    />
  )
}
