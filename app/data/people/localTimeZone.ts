/** The time zone of this device, as in "Europe/Berlin". */
export function localTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}
