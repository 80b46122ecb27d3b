import { i18n } from '@lingui/core'
import { useEffect, useRef, type CSSProperties, type KeyboardEvent } from 'react'
import { formFailure } from '../../../../ui/fieldFailure.ts'
import type { Outcome } from '../../../../data/failures/failures.ts'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import { useImageGestures } from '../../../parts/files/viewer/useImageGestures.ts'
import { useZoom, type Zoom } from '../../../parts/files/viewer/useZoom.ts'
import type { Point } from '../../../parts/files/viewer/zoom.ts'
import { encodeAvatar, factorTo, zoomLevel } from './crop.ts'
import styles from './CropAvatar.module.css'
import type { OpenPicture } from '../../../parts/files/openPicture.ts'

/** Pixels by which an arrow key moves the picture. */
const STEP_PX = 8
const ARROWS: Record<string, Point> = {
  ArrowLeft: { x: -STEP_PX, y: 0 },
  ArrowRight: { x: STEP_PX, y: 0 },
  ArrowUp: { x: 0, y: -STEP_PX },
  ArrowDown: { x: 0, y: STEP_PX },
}

interface Props {
  picture: OpenPicture
  save: (image: Blob) => Promise<Outcome>
  onClose: () => void
}

/** Selects the square part of a picture that becomes the avatar or icon: drag, wheel, pinch, slider, keyboard. */
export default function CropAvatar({ picture, save, onClose }: Props) {
  const stage = useRef<HTMLDivElement>(null)
  const zoom = useZoom(0)
  const { handlers } = useImageGestures(stage, zoom, null)
  const { image } = picture
  const { measure, view, frame } = zoom

  useEffect(() => () => picture.close(), [picture])
  useEffect(() => {
    const element = stage.current
    if (!element) return
    const observer = new ResizeObserver(() =>
      measure({
        picture: { width: image.naturalWidth, height: image.naturalHeight },
        stage: { width: element.clientWidth, height: element.clientHeight },
        cover: true,
      }),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [measure, image])

  const onSave = async () => {
    if (!view || !frame) return null
    const blob = await encodeAvatar(image, view, frame).catch(() => null)
    return blob ? save(blob) : formFailure(i18n._('Couldn’t process this image. Try another one.'))
  }

  return (
    <FormDialog
      title={i18n._('Crop picture')}
      action={i18n._('Save picture')}
      run={onSave}
      doneText={i18n._('Picture saved.')}
      onClose={onClose}
    >
      <div className={styles.crop}>
        <div
          ref={stage}
          className={styles.stage}
          role="group"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrow keys move the picture
          tabIndex={0}
          aria-label={i18n._('Picture. Use the arrow keys to move it, plus and minus to zoom.')}
          onKeyDown={(event) => onKey(event, zoom)}
          {...handlers}
        >
          <img src={image.src} alt="" draggable={false} style={positionOf(zoom, 1)} />
          <span className={styles.mask} />
        </div>
        <Preview zoom={zoom} src={image.src} />
      </div>
      <label className={styles.zoom}>
        <span className="label">{i18n._('Zoom')}</span>
        <input
          type="range"
          min={0}
          max={100}
          step="any"
          value={view && frame ? Math.round(zoomLevel(view, frame) * 100) : 0}
          aria-valuetext={view && frame ? percent(zoomLevel(view, frame)) : undefined}
          onChange={(event) => {
            const level = Number(event.currentTarget.value) / 100
            if (view && frame) zoom.zoomBy(factorTo(level, view, frame))
          }}
        />
      </label>
    </FormDialog>
  )
}

function onKey(event: KeyboardEvent, zoom: Zoom) {
  const by = ARROWS[event.key]
  const factor = event.key === '+' || event.key === '=' ? 1.1 : event.key === '-' ? 1 / 1.1 : null
  if (!by && factor === null) return
  event.preventDefault()
  const far = event.shiftKey ? 5 : 1
  if (by) zoom.panBy({ x: by.x * far, y: by.y * far })
  else if (factor !== null) zoom.zoomBy(factor)
}

function percent(part: number): string {
  return new Intl.NumberFormat(i18n.locales ?? i18n.locale, { style: 'percent' }).format(part)
}

/** The position of the picture in a square `by` times as large as the stage. */
function positionOf({ view, frame }: Zoom, by: number): CSSProperties {
  if (!view || !frame) return { visibility: 'hidden' }
  return {
    width: frame.picture.width * view.scale * by,
    height: frame.picture.height * view.scale * by,
    transform: `translate(-50%, -50%) translate(${view.x * by}px, ${view.y * by}px)`,
  }
}

/** The avatar in the sizes in which others see it. */
function Preview({ zoom, src }: { zoom: Zoom; src: string }) {
  const side = zoom.frame?.stage.width
  return (
    <div className={styles.preview}>
      <span className="label">{i18n._('Preview')}</span>
      {([56, 36, 20] as const).map((size) => (
        <span key={size} className={styles.size} style={{ '--size': `${size}px` } as CSSProperties}>
          <img src={src} alt="" style={side ? positionOf(zoom, size / side) : { visibility: 'hidden' }} />
        </span>
      ))}
    </div>
  )
}
