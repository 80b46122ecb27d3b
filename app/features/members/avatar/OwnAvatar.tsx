import { i18n } from '@lingui/core'
import { Suspense, useRef, useState } from 'react'
import { removeAvatar } from '../../../data/people/ownAvatar.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'
import { useToast } from '../../../ui/toast.ts'
import { useMe } from '../MeContext.ts'
import { Avatar } from './Avatar.tsx'
import { openPicture, type OpenPicture, type Unusable } from './openPicture.ts'
import styles from './OwnAvatar.module.css'

const CropAvatar = lazyComponent(() => import('./CropAvatar.tsx'))

const TYPES = 'image/jpeg,image/png,image/webp,image/avif,image/gif'

/** The user's own picture: choose, crop, replace, remove. */
export function OwnAvatar() {
  const { profile } = useMe()
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
  const remove = async () => {
    setBusy('remove')
    setFailure(null)
    const outcome = await removeAvatar()
    setBusy(null)
    if (!outcome.ok) return setFailure(outcome.failure.message)
    showToast({ text: i18n._('Picture removed.') })
    // Its button is no longer in the page.
    button.current?.focus()
  }
  return (
    <>
      <Form onSubmit={() => {}} failure={failure}>
        <div className={styles.line}>
          <Avatar id={profile.id} name={profile.name} size={56} />
          <div className={styles.actions}>
            <Button ref={button} busy={busy === 'open'} onClick={() => input.current?.click()}>
              {profile.avatar ? i18n._('Change picture') : i18n._('Upload picture')}
            </Button>
            {profile.avatar ? (
              <Button variant="quiet" busy={busy === 'remove'} onClick={() => void remove()}>
                {i18n._('Remove picture')}
              </Button>
            ) : null}
          </div>
          <input
            ref={input}
            type="file"
            hidden
            accept={TYPES}
            aria-label={i18n._('Picture')}
            onChange={(event) => {
              const file = event.currentTarget.files?.[0]
              // Without this, choosing the same file again after an error would not be a change.
              event.currentTarget.value = ''
              if (file) void open(file)
            }}
          />
        </div>
      </Form>
      <Suspense>
        {picture ? <CropAvatar picture={picture} onClose={() => setPicture(null)} /> : null}
      </Suspense>
    </>
  )
}

function unusableSentence(why: Unusable): string {
  if (why === 'large') return i18n._('This image is too large. Choose one of up to 25 MB and 60 megapixels.')
  if (why === 'animated') return i18n._('Animated images aren’t supported. Choose a still image.')
  return i18n._('This file isn’t an image Linnet can use. Choose a JPEG, PNG, WebP or AVIF image.')
}
