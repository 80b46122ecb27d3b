import { i18n } from '@lingui/core'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import Minus from 'lucide-react/icons/minus'
import Plus from 'lucide-react/icons/plus'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import styles from './FileViewer.module.css'
import type { Zoom } from './useZoom.ts'

/** Zoom factor of one step. */
export const ZOOM_STEP = 1.5

interface Props {
  at: number
  count: number
  onMove: (at: number) => void
  /** Null for files that can't be zoomed. */
  zoom: Zoom | null
}

/** Buttons for the other files and for zooming. */
export function ViewerFooter({ at, count, onMove, zoom }: Props) {
  if (count < 2 && !zoom) return null
  return (
    <div className={styles.footer}>
      {count > 1 ? (
        <div className={styles.group}>
          <IconButton
            label={i18n._('Previous file')}
            keys="←"
            icon={<Icon of={ChevronLeft} size={20} />}
            disabled={at === 0}
            onClick={() => onMove(at - 1)}
          />
          <span className={styles.count}>{i18n._('{at} of {count}', { at: at + 1, count })}</span>
          <IconButton
            label={i18n._('Next file')}
            keys="→"
            icon={<Icon of={ChevronRight} size={20} />}
            disabled={at === count - 1}
            onClick={() => onMove(at + 1)}
          />
        </div>
      ) : null}
      {zoom ? (
        <div className={styles.group}>
          <IconButton
            label={i18n._('Zoom out')}
            keys="-"
            icon={<Icon of={Minus} size={20} />}
            onClick={() => zoom.zoomBy(1 / ZOOM_STEP)}
          />
          <ZoomButton zoom={zoom} />
          <IconButton
            label={i18n._('Zoom in')}
            keys="+"
            icon={<Icon of={Plus} size={20} />}
            onClick={() => zoom.zoomBy(ZOOM_STEP)}
          />
        </div>
      ) : null}
    </div>
  )
}

/** Toggles between the whole image and its actual size. The percentage is of the actual size, which few know. */
function ZoomButton({ zoom }: { zoom: Zoom }) {
  const percent = formatZoom(zoom)
  return (
    <button
      type="button"
      className={styles.zoom}
      data-tooltip={percent}
      data-keys={zoom.isWhole ? undefined : '0'}
      aria-label={
        zoom.isWhole
          ? i18n._('{percent}, switch to actual size', { percent })
          : i18n._('{percent}, fit to window', { percent })
      }
      onClick={() => zoom.toggle()}
    >
      {zoom.isWhole ? i18n._('Actual size') : i18n._('Fit to window')}
    </button>
  )
}

/** "100 %", formatted for the reader's locale; empty until the image is measured. */
export function formatZoom({ view }: Zoom): string {
  if (!view) return ''
  return new Intl.NumberFormat(i18n.locales ?? i18n.locale, { style: 'percent' }).format(view.scale)
}
