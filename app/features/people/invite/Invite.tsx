import { i18n } from '@lingui/core'
import { useState } from 'react'
import { useRoute } from 'wouter'
import { useSidebar } from '../../../data/channels/channels.ts'
import { createInvitation, mailInvitation } from '../../../data/people/invitations.ts'
import { Button } from '../../../ui/Button.tsx'
import { Check } from '../../../ui/Check.tsx'
import { cx } from '../../../ui/cx.ts'
import { Choice } from '../../../ui/Choice.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import sheet from '../../../ui/Sheet.module.css'
import { TextField } from '../../../ui/TextField.tsx'
import { CopyField } from './CopyField.tsx'
import { useMe } from '../MeContext.ts'

type Role = 'member' | 'guest' | 'admin'

/** Invites by mail, or by a link to hand on. Both open the channels ticked here. */
export default function Invite({ channelId, onClose }: { channelId: string | null; onClose: () => void }) {
  const me = useMe()
  const { channels } = useSidebar()
  const [role, setRole] = useState<Role>('member')
  const [ticked, setTicked] = useState<string[] | null>(null)
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string[]>([])
  const [link, setLink] = useState<string | null>(null)
  const [busy, setBusy] = useState<'mail' | 'link' | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const [, route] = useRoute<{ channel: string }>('/c/:channel/*?')
  const here = channels.find((channel) => channel.id === (channelId ?? route?.channel))
  const first = (here ?? channels[0])?.id
  const opened = ticked ?? (first ? [first] : [])
  const leads = me.role === 'owner' || me.role === 'admin'
  const aimless = role === 'guest' && opened.length === 0

  const mail = async () => {
    const address = email.trim()
    if (!address || busy || aimless) return
    setBusy('mail')
    setFailure(null)
    const outcome = await mailInvitation(address, { role, channels: opened })
    setBusy(null)
    if (!outcome.ok) return setFailure(outcome.failure.sentence)
    setSentTo([...sentTo, address])
    setEmail('')
  }
  const make = async () => {
    setBusy('link')
    setFailure(null)
    const outcome = await createInvitation({ role, channels: opened, hours: 168, maxUses: 100 })
    setBusy(null)
    if (outcome.ok) setLink(outcome.value.link)
    else setFailure(outcome.failure.sentence)
  }

  const roles: { value: Role; label: string }[] = [
    { value: 'member', label: i18n._('Member') },
    { value: 'guest', label: i18n._('Guest') },
  ]
  if (leads) roles.push({ value: 'admin', label: i18n._('Admin') })

  return (
    <Dialog title={i18n._('Invite people')} onClose={onClose}>
      <div className={sheet.body}>
        <Form onSubmit={() => void mail()} failure={failure}>
          <TextField
            label={i18n._('E-mail address')}
            type="email"
            inputMode="email"
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Choice
            label={i18n._('They come as')}
            value={role}
            options={roles}
            onChange={(next) => {
              setRole(next)
              setLink(null)
            }}
          />
          <p className={sheet.small}>{roleHint(role)}</p>
          <fieldset>
            <legend className={sheet.label}>{i18n._('Channels they start in')}</legend>
            <ul className={cx(sheet.list, sheet.short)}>
              {startingWith(channels, first).map((channel) => (
                <li key={channel.id} className={sheet.row}>
                  <Check
                    label={channel.name}
                    checked={opened.includes(channel.id)}
                    onChange={(on) => {
                      setTicked(on ? [...opened, channel.id] : opened.filter((id) => id !== channel.id))
                      setLink(null)
                    }}
                  />
                </li>
              ))}
            </ul>
            {aimless ? <p className={sheet.small}>{i18n._('A guest needs one channel at least.')}</p> : null}
          </fieldset>
          <p role="status" className={sheet.small}>
            {sentTo.length
              ? i18n._('Invitation sent to {people}.', {
                  people: new Intl.ListFormat(i18n.locale).format(sentTo),
                })
              : null}
          </p>
          <div className={sheet.foot}>
            <Button
              type="submit"
              look="primary"
              busy={busy === 'mail'}
              disabled={!email.includes('@') || aimless}
            >
              {i18n._('Send invitation')}
            </Button>
          </div>
        </Form>
        <div className={sheet.apart}>
          {link ? (
            <CopyField
              label={i18n._('Invitation link')}
              value={link}
              hint={i18n._('Whoever has it can join for 7 days. It is shown only now.')}
            />
          ) : (
            <div className={sheet.row}>
              <span className={sheet.name}>{i18n._('Or hand on a link')}</span>
              <Button busy={busy === 'link'} disabled={aimless} onClick={() => void make()}>
                {i18n._('Make a link')}
              </Button>
            </div>
          )}
        </div>
      </div>
    </Dialog>
  )
}

/** The channel one comes from stands first, where it can be seen to be ticked. */
function startingWith<C extends { id: string }>(channels: readonly C[], first: string | undefined): C[] {
  return [...channels].sort((a, b) => Number(b.id === first) - Number(a.id === first))
}

function roleHint(role: Role): string {
  if (role === 'guest') return i18n._('Guests see only the channels they are in, and the people there.')
  if (role === 'admin') return i18n._('Admins also manage people, channels and invitations.')
  return i18n._('Members can read public channels, create channels and invite others.')
}
