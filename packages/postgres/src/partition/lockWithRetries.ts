/** Maximum number of attempts to take a change's locks within one transaction. They are 50 to 100 ms apart. */
const attempts = 10

/**
 * Builds PL/pgSQL that runs `locks`, the statements that take a change's locks. A lock timeout releases all of them and
 * starts another attempt. Earlier changes of the transaction are kept. Raises the timeout's error after the last
 * attempt, or earlier if the condition `isHopeless` holds. `EventLog.follow` withholds newer events while the
 * transaction is open, so the number of attempts is small.
 */
export const lockWithRetries = (locks: string, isHopeless = "false"): string => `for attempt in 1..${attempts} loop
    begin
      ${locks}
      exit;
    exception when lock_not_available then
      if attempt = ${attempts} or ${isHopeless} then
        raise;
      end if;
    end;
    perform pg_sleep(0.05 + random() * 0.05);
  end loop;`
