import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import {
  approveDevice,
  deviceUrl,
  refuseDevice,
  signInCode,
  viewSignInCode,
} from '../../../../data/session/deviceSignIn.ts'
import { QrCode, QrCodePlace } from '../../../../features/flows/account/QrCode.tsx'
import { LocalAddressNote } from '../../../../features/parts/LocalAddressNote.tsx'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Dialog } from '../../../../ui/Dialog.tsx'
import layout from '../../../../ui/dialogLayout.module.css'
import { FormDialog } from '../../../../ui/FormDialog.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { deviceName } from './deviceName.ts'
import security from '../../../../features/flows/account/security.module.css'

interface Props {
  /** A device has been let in. */
  onDone: () => void
  onClose: () => void
}

/** Milliseconds between two checks whether a device has used the code. */
const CHECK_INTERVAL_MS = 1_000

/** Shows a QR code that signs a phone in once its number was confirmed here. */
export function PhoneSignIn({ onDone, onClose }: Props) {
  const { value: code, failure } = useQuery(signInCode)
  const [waiting, setWaiting] = useState<{ id: string; number: number; device: string } | null>(null)
  const [endedId, setEndedId] = useState<string | null>(null)
  const showToast = useToast()
  const id = code?.id ?? null

  useEffect(() => {
    if (id === null) return
    let timer = 0
    const check = async () => {
      const outcome = await viewSignInCode(id)
      if (timer === -1) return
      if (!outcome.ok && outcome.failure.name === 'sign_in_code_expired') return setEndedId(id)
      if (outcome.ok && outcome.value.number !== null)
        return setWaiting({ id, number: outcome.value.number, device: outcome.value.device ?? '' })
      timer = window.setTimeout(() => void check(), CHECK_INTERVAL_MS)
    }
    timer = window.setTimeout(() => void check(), CHECK_INTERVAL_MS)
    return () => {
      clearTimeout(timer)
      timer = -1
    }
  }, [id])

  const close = () => {
    if (id !== null && endedId !== id) void refuseDevice(id)
    onClose()
  }

  const approve = async (waitingId: string, number: number) => {
    const outcome = await approveDevice(waitingId, number)
    if (!outcome.ok) return outcome
    showToast({ text: i18n._('Signing in on your phone…') })
    // Closing the dialog would refuse the device.
    onDone()
    return null
  }

  if (failure || (code && endedId === id)) {
    return (
      <Dialog title={title()} onClose={onClose}>
        <div className={layout.body}>
          <p role="alert">{failure?.message ?? i18n._('This code has expired.')}</p>
          <div className={layout.footer}>
            <Button variant="primary" onClick={() => signInCode.invalidate()}>
              {i18n._('New code')}
            </Button>
          </div>
        </div>
      </Dialog>
    )
  }
  if (code && waiting?.id === id)
    return (
      <FormDialog
        title={title()}
        action={i18n._('Yes, sign in')}
        run={() => approve(waiting.id, waiting.number)}
        onClose={close}
      >
        <p role="status">
          {i18n._('{device} wants to sign in. Does your phone show this number?', {
            device: deviceName(waiting.device),
          })}
        </p>
        <p className={security.number}>{waiting.number}</p>
        <p className="muted">
          {i18n._('If not, someone else has used the code. They don’t get access if you cancel.')}
        </p>
      </FormDialog>
    )
  return (
    <Dialog title={title()} onClose={close}>
      <div className={layout.body}>
        <p>
          {i18n._(
            'Scan this code with your phone’s camera, then confirm the sign-in here within two minutes.',
          )}
        </p>
        {code ? (
          <QrCode text={deviceUrl(code.code)} label={i18n._('QR code with a link that signs a phone in')} />
        ) : (
          <QrCodePlace label={i18n._('Creating a code')} />
        )}
        <LocalAddressNote />
        <p className="muted">{i18n._('Don’t show it to anyone else.')}</p>
      </div>
    </Dialog>
  )
}

const title = () => i18n._('Sign in on your phone')
