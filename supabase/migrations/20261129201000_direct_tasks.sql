-- A server that invokes functions without HTTP needs neither its own address nor the secret of tasks.

create or replace function app.call_task(task text, body jsonb default '{}') returns void
language plpgsql volatile security definer set search_path = ''
as $$
declare
  address text;
  secret text;
begin
  if to_regprocedure('supabase_functions.invoke(text, jsonb)') is not null then
    -- It merges calls that follow each other closely, so the function need not wait for them.
    perform supabase_functions.invoke(task, body - 'wait_ms');
    return;
  end if;
  address := app.read_secret('project_url');
  secret := app.read_secret('linnet_task_secret');
  if address is not null and secret is not null then
    perform net.http_post(
      url := rtrim(address, '/') || '/functions/v1/' || task,
      body := call_task.body,
      headers := jsonb_build_object('content-type', 'application/json', 'x-linnet-task', secret),
      timeout_milliseconds := 60000);
  end if;
end
$$;
comment on function app.call_task is
  'Calls one of Linnet''s functions once this transaction has committed: directly if the platform provides '
  'supabase_functions.invoke, else by a request to the server''s URL. Does nothing if this URL is not known. `wait_ms` in the '
  'body is how long the function waits for further work.';
