import { i18n } from '@lingui/core'
import { Suspense, useRef, useState, type ReactNode } from 'react'
import type { Outcome } from '../../../../data/failures/failures.ts'
import { Button } from '../../../../ui/Button.tsx'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { openPicture, type OpenPicture, type Unusable } from '../../../parts/files/openPicture.ts'
import styles from './PictureSetting.module.css'

const CropAvatar = lazyComponent(() => import('./CropAvatar.tsx'))

const TYPES = 'image/jpeg,image/png,image/webp,image/avif,image/gif'

interface Labels {
  field: string
  upload: string
  change: string
  remove: string
}

interface Props {
  labels: Labels
  /** What is displayed now. */
  children: ReactNode
  hasPicture: boolean
  save: (image: Blob) => Promise<Outcome>
  remove: () => Promise<Outcome>
}

/** A picture of a person or workspace: choose, crop, replace, remove. */
export function PictureSetting({ labels, children, hasPicture, save, remove }: Props) {
  const showToast = useToast()
  const input = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [picture, setPicture] = useState<OpenPicture | null>(null)
  const [busy, setBusy] = useState<'open' | 'remove' | null>(null)
  const [failure, setFailure] = useState<string | null>(null)

  const open = async (file: File) => {
    setBusy('open')
    setFailure(null)
    const opened = await openPicture(file)
    setBusy(null)
    if (typeof opened === 'string') setFailure(unusableSentence(opened))
    else setPicture(opened)
  }
  const onRemove = async () => {
    setBusy('remove')
    setFailure(null)
    const outcome = await remove()
    setBusy(null)
    if (!outcome.ok) return setFailure(outcome.failure.message)
    showToast({ text: i18n._('Picture removed.') })
    // Its button is no longer in the page.
    button.current?.focus()
  }
  return (
    <>
      <div>
        <div className={styles.line}>
          {children}
          <div className={styles.actions}>
            <Button ref={button} busy={busy === 'open'} onClick={() => input.current?.click()}>
              {hasPicture ? labels.change : labels.upload}
            </Button>
            {hasPicture ? (
              <Button variant="quiet" busy={busy === 'remove'} onClick={() => void onRemove()}>
                {labels.remove}
              </Button>
            ) : null}
          </div>
          <input
            ref={input}
            type="file"
            hidden
            accept={TYPES}
            aria-label={labels.field}
            onChange={(event) => {
              const file = event.currentTarget.files?.[0]
              // Without this, choosing the same file again after an error would not be a change.
              event.currentTarget.value = ''
              if (file) void open(file)
            }}
          />
        </div>
        <div role="alert">{failure ? <p>{failure}</p> : null}</div>
      </div>
      <Suspense>
        {picture ? <CropAvatar picture={picture} save={save} onClose={() => setPicture(null)} /> : null}
      </Suspense>
    </>
  )
}

function unusableSentence(why: Unusable): string {
  if (why === 'large') return i18n._('This image is too large. Choose one of up to 25 MB and 60 megapixels.')
  if (why === 'animated') return i18n._('Animated images aren’t supported. Choose a still image.')
  return i18n._('This file isn’t an image Linnet can use. Choose a JPEG, PNG, WebP or AVIF image.')
}
